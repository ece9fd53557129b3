// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what commands say where stamps were ahead of every clock. */
class LostTimeCommandTest {
  private static final String RANGE =
      "from 2026-11-20T18:40:00.400000Z to 2026-11-20T18:40:12.000000Z stamps were up to 9.600 s"
          + " ahead of every clock";
  private static final String WARNING = "warning: " + RANGE + "\n";

  /** The clock of p is set back by 9.6 s, and catches up. */
  private static final List<String> LINES =
      List.of(
          line("10000000.0", 10_000_000, "\"set\":{\"running\":false}"),
          line("10000001.0", 400_000, "\"message\":\"set back\""),
          line("10000002.0", 1_900_000, "\"set\":{\"running\":true}"),
          line("10000003.0", 3_900_000, "\"set\":{\"running\":false}"),
          line("12000000.0", 12_000_000, "\"message\":\"caught up\""));

  @TempDir Path folder;
  private String file = "";
  private String rules = "";

  private static String line(String stamp, long reading, String body) {
    return "{\"node\":\"p\",\"log\":\"probe\",\"hlc\":\"17952000%s\",\"pt\":%d,%s}"
        .formatted(stamp, 1_795_200_000_000_000L + reading, body);
  }

  @BeforeEach
  void write() throws IOException {
    file = Files.write(folder.resolve("e.ndjson"), LINES).toString();
    rules =
        Files.writeString(
                folder.resolve("r.rql"),
                "CREATE RULE quick AS (NEVER running@p FOR 1s FROM probe);\n")
            .toString();
  }

  @Test
  void answers_ofAFile_nameTheRangeOnce() {
    CommandRun check = CommandRun.of("check", rules, file);
    assertThat(check.exitCode()).isEqualTo(5);
    assertThat(check.out()).contains(RANGE + "; 1 run there may have lasted longer than it shows");
    assertThat(CommandRun.of("logs", "--file", file).err()).isEqualTo(WARNING);
    assertThat(CommandRun.of("align", "--file", file).err()).isEqualTo(WARNING);
  }

  @Test
  void answers_ofAServer_areThoseOfTheFile() throws Exception {
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build())) {
      String address = server.uri().toString();
      CommandRun.of("import", file, "--server", address);
      CommandRun check = CommandRun.of("check", rules, "--server", address);
      assertThat(check.exitCode()).as(check.toString()).isEqualTo(5);
      assertThat(check.out())
          .contains(RANGE + "; 1 run there may have lasted longer than it shows");
      assertThat(CommandRun.of("logs", "--server", address).err()).isEqualTo(WARNING);
      assertThat(CommandRun.of("align", "--server", address).err()).isEqualTo(WARNING);
      String range =
          "{\"node\":\"p\",\"from\":\"1795200010000001.0\",\"until\":\"1795200012000000.0\",\"micros\":9600001}";
      assertThat(get(server, "/v1/alignment")).endsWith("\"ahead\":[" + range + "]}");
      assertThat(get(server, "/v1/timeline/20/" + (1795200010000001L >> 30)))
          .contains("\"ahead\":[" + range + "]");
      assertThat(get(server, "/v1/timeline/20/0")).contains("\"ahead\":[]");
    }
  }

  private static String get(LogServer server, String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(server.uri().resolve(path)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
