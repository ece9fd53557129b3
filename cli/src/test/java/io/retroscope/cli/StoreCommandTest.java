// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCommandTest {
  @TempDir Path folder;

  @Test
  void actions_onAStore_sayWhatTheyDid() {
    String data = folder.resolve("data").toString();
    String copy = folder.resolve("copy").toString();
    String backups = folder.resolve("backups").toString();
    LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build()).close();

    assertThat(CommandRun.of("store", "verify", "--data", data))
        .isEqualTo(CommandRun.of("store", "verify", "--data", data))
        .satisfies(run -> assertThat(run.exitCode()).isZero())
        .satisfies(run -> assertThat(run.out()).endsWith("nothing is damaged\n"));
    assertThat(CommandRun.of("store", "stats", "--data", data).out()).contains("blocks: 0\n");
    assertThat(CommandRun.of("store", "compact", "--data", data).exitCode()).isZero();
    assertThat(CommandRun.of("store", "backup", "--data", data, backups).exitCode()).isZero();
    assertThat(CommandRun.of("store", "restore", "--data", copy, backups).out())
        .isEqualTo("restored %s from the latest backup in %s\n".formatted(copy, backups));
    assertThat(CommandRun.of("store", "verify", "--data", copy).exitCode()).isZero();
  }

  @Test
  void verify_noStore_failsWithOneSentence() {
    CommandRun run = CommandRun.of("store", "verify", "--data", folder.toString());

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("error: directory ").contains("contains no Retroscope store");
  }

  @Test
  void store_withoutAnAction_isWrongUsage() {
    assertThat(CommandRun.of("store").exitCode()).isEqualTo(2);
  }
}
