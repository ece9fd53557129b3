// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retroscope.dist.UserMachine.Ended;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that is started from an archive. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "runs a shell script")
class ServerTest {
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)");

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(names = {"FULL", "IMAGE"})
  void server_fromTheArchive_storesAndAnswers(Archive archive) throws Exception {
    assumeTrue(archive.exists(), "the image is made with -Pdist");
    UserMachine machine = new UserMachine(folder);
    Map<String, String> environment =
        archive == Archive.IMAGE
            ? Map.of("RETROSCOPE_CLASS_CACHE", "off")
            : Map.of("JAVA_HOME", System.getProperty("java.home"), "RETROSCOPE_CLASS_CACHE", "off");
    String command = archive.file("bin/retroscope").toString();
    Path log = folder.resolve("server.log");
    Process server =
        machine
            .builder(
                environment,
                List.of(command, "server", "--port", "0", "--data", folder.resolve("d").toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      String port = port(log, server);
      Ended health =
          machine.run(environment, List.of(archive.file("deploy/health-check").toString(), port));
      assertThat(health.out()).startsWith("HTTP/1.1 200 ");
      assertThat(health.exitCode()).isZero();

      String url = "http://127.0.0.1:" + port;
      Ended imported =
          machine.run(
              environment,
              List.of(
                  command,
                  "import",
                  "--server",
                  url,
                  archive.file("share/first-start.ndjson").toString()));
      assertThat(imported.exitCode()).as(imported.err()).isZero();
      Ended answer =
          machine.run(
              environment,
              List.of(
                  command,
                  "shell",
                  "--server",
                  url,
                  "-c",
                  "SELECT working FROM ring WHEN COUNT n IN NODES : (working@n) >= 2;"));
      assertThat(answer.out()).contains("{a: true, b: true}");
    } finally {
      server.destroy();
      if (!server.waitFor(60, TimeUnit.SECONDS)) {
        server.destroyForcibly();
      }
    }
    assertThat(server.exitValue()).isEqualTo(143);
    Ended stopped =
        machine.run(environment, List.of(archive.file("deploy/health-check").toString(), "1"));
    assertThat(stopped.exitCode()).isEqualTo(1);
  }

  private static String port(Path log, Process server) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !server.isAlive() || ADDRESS.matcher(UserMachine.read(log)).find());
    Matcher address = ADDRESS.matcher(UserMachine.read(log));
    assertThat(address.find()).as(UserMachine.read(log)).isTrue();
    return address.group(1);
  }
}
