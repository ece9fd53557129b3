// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of commands with a server that requires tokens or certificates. */
@Timeout(60)
class AccessCommandTest {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String LINE =
      "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"1795200000000000.0\",\"pt\":1795200000000000,"
          + "\"set\":{\"x\":1}}\n";

  @TempDir Path folder;
  private LogServer server;
  private Path token;

  @BeforeEach
  void start() throws IOException {
    Path tokens = Files.writeString(folder.resolve("tokens"), "op write,admin " + TOKEN + "\n");
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    Files.createDirectory(folder.resolve("backups"));
    server =
        LogServer.start(
            ServerConfig.in(folder.resolve("data"))
                .port(0)
                .access(
                    new AccessOptions(
                        Optional.of(tokens),
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        false,
                        Optional.empty(),
                        Optional.of(folder.resolve("backups"))))
                .build());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private CommandRun run(boolean withToken, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--server=" + server.uri());
    if (withToken) {
      all.add("--token-file=" + token);
    }
    return CommandRun.of(all.toArray(new String[0]));
  }

  @Test
  void everyCommand_withTheToken_isLetIn() throws IOException {
    Path events = Files.writeString(folder.resolve("events.ndjson"), LINE);

    assertThat(run(true, "import", events.toString()).exitCode()).isZero();
    assertThat(run(true, "export").out()).contains("\"x\":1");
    assertThat(run(true, "shell", "-c", "SELECT x FROM l;").exitCode()).isZero();
    assertThat(run(true, "logs").err()).doesNotContain("token");
    assertThat(run(true, "align").err()).doesNotContain("token");
    assertThat(run(true, "store", "stats").out()).contains("events: 1\n", "nodes: 1\n");
    assertThat(run(true, "store", "compact").out())
        .isEqualTo("compacted the store of " + server.uri() + "\n");
    assertThat(run(true, "store", "backup", "nightly").exitCode()).isZero();
    assertThat(folder.resolve("backups/nightly")).isNotEmptyDirectory();
  }

  @Test
  void everyCommand_withoutAToken_saysWhereOneComesFrom() throws IOException {
    Path events = Files.writeString(folder.resolve("events.ndjson"), LINE);
    String[][] commands = {
      {"import", events.toString()},
      {"export"},
      {"listen", "--mute", "SELECT STREAM x FROM l;"},
      {"logs"},
      {"align"},
      {"store", "stats"},
      {"store", "compact"},
      {"store", "backup", "nightly"},
    };
    for (String[] command : commands) {
      CommandRun run = run(false, command);
      assertThat(run.exitCode()).as(command[0]).isEqualTo(1);
      assertThat(run.err()).as(command[0]).contains("--token-file");
    }
    assertThat(folder.resolve("backups")).isEmptyDirectory();
  }

  @Test
  void tokenFile_thatIsNotThere_isNamed() {
    CommandRun run =
        CommandRun.of(
            "export", "--server=" + server.uri(), "--token-file=" + folder.resolve("none"));

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("cannot read the token file " + folder.resolve("none"));
  }

  @Test
  void server_beyondThisMachineWithoutTokens_saysHow() {
    CommandRun run =
        CommandRun.of("server", "--host=0.0.0.0", "--port=0", "--data=" + folder.resolve("other"));

    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("tokens are needed").contains("--tokens FILE");
  }

  @Test
  void server_halfOfTls_isWrongUsage() {
    CommandRun run =
        CommandRun.of("server", "--port=0", "--tls-cert=c.pem", "--data=" + folder.resolve("o"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("both --tls-cert and --tls-key");
  }
}
