// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server does not start with rules that it cannot evaluate, and says where they are wrong. */
class ServerRulesTest {
  @TempDir Path folder;

  @Test
  void rules_aWrongStatement_hasItsPlaceAndACaretBelowIt() throws IOException {
    Path file = folder.resolve("a.rql");
    Files.writeString(file, "-- x\nCREATE ALERT a AS (NEVER r = FROM t);\n");
    CommandRun run = start(folder);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("error: " + file + ":2 is wrong:");
    assertThat(run.err().lines())
        .anySatisfy(line -> assertThat(line).startsWith("LINE 2: CREATE ALERT a"))
        .anySatisfy(line -> assertThat(line.strip()).isEqualTo("^^^^"));
  }

  @Test
  void rules_noFolder_isSaid() throws IOException {
    Path none = folder.resolve("none");
    assertThat(start(none).err()).contains("error: there is no folder of rules " + none);
    Path file = Files.writeString(folder.resolve("a.rql"), "");
    assertThat(start(file).err()).contains("error: " + file + " is no folder");
  }

  private CommandRun start(Path rules) {
    return CommandRun.of("server", "--port=0", "--data=" + folder.resolve("d"), "--rules=" + rules);
  }
}
