// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.health.FatalErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An input that was decoded at two ends of the process does not end it a third time. */
@Timeout(120)
class CrashLoopTest {
  private static final int LINES = 40_000;
  private static final String DECODING = "DECODING";

  /** Other work on the machine may keep the process from ending before the input is decoded. */
  private static final int MOST_RUNS = 10;

  @TempDir Path directory;

  /** A server whose heap is exhausted as soon as it decodes something. */
  public static final class Fragile {
    private Fragile() {}

    /** Takes the data directory. */
    public static void main(String[] args) throws IOException {
      FatalErrors.watchUncaught();
      LogServer server = LogServer.start(ServerConfig.in(Path.of(args[0])).port(0).build());
      Path decoding = Path.of(args[0], DECODING);
      Thread eater =
          new Thread(
              () -> {
                while (isFree(decoding)) {
                  LockSupport.parkNanos(200_000); // Decoding takes hundreds of times longer.
                }
                long[] eaten = new long[Integer.MAX_VALUE];
                throw new AssertionError("there was room for " + eaten.length);
              });
      eater.start();
      System.out.println(server.uri());
      System.exit(System.in.read());
    }

    private static boolean isFree(Path file) {
      try {
        for (byte each : Files.readAllBytes(file)) {
          if (each != 0) {
            return false;
          }
        }
        return true;
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static String lines(String node) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      lines.append(
          "{\"node\":\"%s\",\"log\":\"l\",\"hlc\":%d,\"set\":{\"x\":1}}\n"
              .formatted(node, 1_795_200_000_000_000L + i));
    }
    return lines.toString();
  }

  @Test
  void input_thatEndedTheProcessTwice_isRefusedAndKept() throws Exception {
    String bad = lines("bad");
    int endsWhileDecoding = 0;
    for (int run = 0; endsWhileDecoding < 2 && run < MOST_RUNS; run++) {
      endsWhileDecoding += endsWhileDecoding(bad) ? 1 : 0;
    }
    assertThat(endsWhileDecoding).isEqualTo(2);
    try (LogServer server = LogServer.start(ServerConfig.in(directory).port(0).build())) {
      HttpProbe http = new HttpProbe(server.uri());
      HttpProbe.Reply refusal = http.events(bad);
      assertThat(refusal.status()).isEqualTo(422);
      assertThat(refusal.body()).contains("the server ended twice while it decoded this input");
      assertThat(http.events(bad).status()).isEqualTo(422);
      assertThat(http.events(lines("good")).body()).isEqualTo("{\"accepted\":" + LINES + "}");
    }
    try (var files = Files.list(directory.resolve("rejected"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".bin")))
          .singleElement()
          .satisfies(file -> assertThat(file).hasContent(bad));
    }
  }

  /** Sends an input; returns whether the server was still decoding it when the process ended. */
  private boolean endsWhileDecoding(String input) throws Exception {
    try (ServerProcess server =
        ServerProcess.start(directory, List.of("-Xmx256m"), Fragile.class)) {
      HttpProbe http = new HttpProbe(server.uri());
      try {
        HttpProbe.Reply unused = http.events(input); // Decoded, as the machine was busy.
      } catch (IOException e) {
        // The process has ended.
      }
      assertThat(server.exitCode()).isEqualTo(FatalErrors.EXIT_CODE);
    }
    return !Fragile.isFree(directory.resolve(DECODING));
  }
}
