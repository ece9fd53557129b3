package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCommandTest {
  private static final int SIGTERM_EXIT_CODE = 128 + 15;

  @TempDir Path folder;

  @Test
  void server_terminated_keepsWhatItHasTakenAndEnds() throws Exception {
    Path events =
        Files.writeString(
            folder.resolve("e.ndjson"),
            "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"1795200000000000.0\",\"set\":{\"x\":1}}\n");
    for (int run = 0; run < 2; run++) {
      Process server = start();
      try {
        String address = address();
        if (run == 0) {
          CommandRun.of("import", events.toString(), "--server", address);
        }
        assertThat(CommandRun.of("export", "--server", address).out())
            .isEqualTo(Files.readString(events));
      } finally {
        server.destroy();
        assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(server.exitValue()).isEqualTo(SIGTERM_EXIT_CODE);
      assertThat(Files.readString(folder.resolve("err.txt"))).isEmpty();
    }
  }

  @Test
  void server_portInUse_saysSo() throws IOException {
    try (ServerSocket taken = new ServerSocket(0)) {
      CommandRun run =
          CommandRun.of(
              "server",
              "--data",
              folder.resolve("data").toString(),
              "--port",
              Integer.toString(taken.getLocalPort()));
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err())
          .startsWith("error: cannot listen on 127.0.0.1:" + taken.getLocalPort())
          .hasLineCount(1);
    }
  }

  @Test
  void server_otherMachinesReachIt_mustBeMeant() {
    CommandRun run =
        CommandRun.of("server", "--data", folder.resolve("data").toString(), "--host", "0.0.0.0");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith("error: host 0.0.0.0 lets other machines");
  }

  @Test
  void server_portOutOfRange_isWrongUsage() {
    assertThat(CommandRun.of("server", "--port", "70000").exitCode()).isEqualTo(2);
  }

  private Process start() throws IOException {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", // as in the runnable jar's manifest
                "-cp",
                System.getProperty("java.class.path"),
                "io.retroscope.cli.Retroscope",
                "server",
                "--port",
                "0",
                "--data",
                folder.resolve("data").toString()))
        .redirectOutput(folder.resolve("out.txt").toFile())
        .redirectError(folder.resolve("err.txt").toFile())
        .start();
  }

  private String address() {
    return Awaitility.await()
        .atMost(30, TimeUnit.SECONDS)
        .until(
            () -> Files.readString(folder.resolve("out.txt")),
            text -> text.startsWith("log server ready at ") && text.endsWith("\n"))
        .replaceAll("(?s)log server ready at (\\S+), data in .*", "$1");
  }
}
