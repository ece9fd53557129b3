// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with blocks that the first released recorder sent, and with the export of the server of
 * that time. Services replace their jars last, so both must remain accepted.
 *
 * <p>The files contain every kind of event and value, an unordered receive, two runs of a node with
 * a state directory, a tiny ring with drops and repairs, and a notice of lost blocks.
 */
@Timeout(60)
class EarlierRecorderTest {
  private static final String FOLDER = "/compatibility/";

  @TempDir Path directory;

  @Test
  void blocksOfTheFirstRecorder_areStoredWithAllThatTheySay() throws Exception {
    try (LogServer server = LogServer.start(ServerConfig.in(directory).port(0).build())) {
      HttpProbe http = new HttpProbe(server.uri());
      assertThat(http.blocks(resource("recorder.rtsb")).body()).isEqualTo("{\"accepted\":327}");
      List<String> events =
          http.get("/v1/events")
              .body()
              .lines()
              .filter(line -> !line.contains("\"heartbeat\""))
              .toList();
      String before = new String(resource("recorder.ndjson"), StandardCharsets.UTF_8);
      assertThat(events).containsExactlyElementsOf(before.lines().toList());
    }
  }

  private static byte[] resource(String name) throws IOException {
    try (InputStream in = EarlierRecorderTest.class.getResourceAsStream(FOLDER + name)) {
      assertThat(in).as(name).isNotNull();
      return in.readAllBytes();
    }
  }
}
