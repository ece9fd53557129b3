// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.event.Event;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.NdjsonWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Any lines are refused with their number, or are events that survive being written again. */
class NdjsonFuzzTest {
  private static final NdjsonReader.Limits LIMITS = new NdjsonReader.Limits(1 << 16, 1 << 20);

  @FuzzTest(maxDuration = "2m")
  void read_lines_areRefusedOrSurvive(byte[] data) throws IOException {
    List<Event> events;
    try {
      events = read(data);
    } catch (NdjsonException e) {
      assertThat(e.line()).isPositive();
      return;
    }
    String lines =
        events.stream().map(event -> NdjsonWriter.line(event) + "\n").collect(Collectors.joining());
    assertThat(read(lines.getBytes(StandardCharsets.UTF_8))).isEqualTo(events);
  }

  private static List<Event> read(byte[] data) throws IOException {
    NdjsonReader reader = new NdjsonReader(new ByteArrayInputStream(data), LIMITS);
    List<Event> events = new ArrayList<>();
    for (Optional<Event> next = reader.next(); next.isPresent(); next = reader.next()) {
      events.add(next.get());
    }
    return events;
  }
}
