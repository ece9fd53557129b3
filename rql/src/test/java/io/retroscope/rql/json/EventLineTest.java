// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventLineTest {
  private static final List<String> VALUES =
      List.of(
          "1",
          "-7",
          "0",
          "-0",
          "007",
          "1.5",
          "-0.0",
          "1e3",
          "1E400",
          "1.",
          ".5",
          "12345678901234567890",
          "999999999999999999",
          "true",
          "false",
          "null",
          "\"x\"",
          "\"\"",
          "\"\\u0041\"",
          "\"é\"",
          "[1]",
          "{}",
          "{\"a\":1}",
          "tru",
          "nul",
          "1 2");
  private static final List<String> STAMPS =
      List.of(
          "5",
          "\"5\"",
          "\"5.1\"",
          "\"1795200000000000.4095\"",
          "\"5.4096\"",
          "5.1",
          "-1",
          "\"05.01\"",
          "\"hlc'5.0'\"",
          "\"99999999999999999\"",
          "9999999999999999",
          "\"5.\"",
          "\"\"",
          "\"5.00000\"");
  private static final List<String> FIELDS =
      List.of(
          "\"node\":\"n1\"",
          "\"node\":\"\"",
          "\"node\":1",
          "\"log\":\"l\"",
          "\"log\":\"\"",
          "\"pt\":3",
          "\"pt\":-1",
          "\"seq\":1",
          "\"seq\":0",
          "\"promise\":4",
          "\"promise\":0",
          "\"heartbeat\":true",
          "\"heartbeat\":false",
          "\"message\":\"m\"",
          "\"message\":1",
          "\"send\":{\"to\":\"b\",\"id\":\"m1\"}",
          "\"send\":{\"id\":\"m1\"}",
          "\"send\":{\"to\":\"b\"}",
          "\"send\":{\"id\":\"\"}",
          "\"send\":{}",
          "\"send\":{\"id\":\"1\",\"id\":\"2\"}",
          "\"receive\":{\"from\":\"\",\"id\":\"m1\"}",
          "\"receive\":{\"to\":\"a\",\"id\":\"m1\"}",
          "\"stop\":true",
          "\"unset\":[\"x\"]",
          "\"add\":{\"s\":[1]}",
          "\"marks\":[\"repair\"]",
          "\"incarnation\":\"i\"",
          "\"other\":1");

  @Test
  void read_anyLine_isWhatTheSlowReaderReads() {
    long seed = Long.getLong("line.seed", System.nanoTime());
    Random random = new Random(seed);
    EventLine usual = new EventLine();
    int read = 0;
    for (int i = 0; i < 80_000; i++) {
      String text = line(random);
      byte[] line = text.getBytes(StandardCharsets.UTF_8);
      if (usual.read(line, line.length)) {
        read++;
        String what = "-Dline.seed=%d: %s".formatted(seed, text);
        assertThat(usual.event()).as(what).isEqualTo(slow(text, what));
        assertThat(block(usual)).as(what).isEqualTo(usual.event());
      }
    }
    assertThat(read).as("lines of the usual shape").isGreaterThan(3_000);
  }

  private static Event slow(String text, String what) {
    try {
      Optional<Event> event =
          EventReader.read(text.toCharArray(), text.length(), gap -> {}, warning -> {});
      return event.orElseThrow();
    } catch (JsonFieldException e) {
      throw new AssertionError(what + " is refused: " + e.getMessage(), e);
    }
  }

  /** The event after a block; heartbeats have another form there. */
  private static Event block(EventLine line) {
    if (line.event().body() instanceof EventBody.Heartbeat) {
      return line.event();
    }
    EventBlockBuilder builder = new EventBlockBuilder();
    line.addTo(builder);
    return builder.build().event(0);
  }

  private static String line(Random random) {
    StringBuilder line = new StringBuilder("{");
    if (random.nextInt(20) > 0) {
      line.append("\"node\":\"a\",");
    }
    if (random.nextInt(10) > 0) {
      line.append("\"log\":\"l\" ,\t");
    }
    if (random.nextInt(20) > 0) {
      line.append("\"hlc\":").append(random.nextInt(3) > 0 ? "\"5.0\"" : pick(STAMPS, random));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      line.append(',').append(pick(FIELDS, random));
    }
    switch (random.nextInt(4)) {
      case 0 -> line.append(",\"set\":{").append(values(random)).append('}');
      case 1 -> line.append(",\"message\":\"m\",\"fields\":{").append(values(random)).append('}');
      case 2 -> line.append(',').append(pick(FIELDS, random));
      default -> {} // nothing more
    }
    line.append(random.nextInt(30) > 0 ? "}" : "} 1");
    if (random.nextInt(4) == 0) {
      line.setCharAt(random.nextInt(line.length()), (char) (' ' + random.nextInt(100)));
    }
    return line.toString();
  }

  private static String values(Random random) {
    return Stream.generate(() -> "\"" + "xyz".charAt(random.nextInt(3)) + "\": " + value(random))
        .limit(1 + random.nextInt(3))
        .collect(Collectors.joining(","));
  }

  private static String value(Random random) {
    return random.nextBoolean() ? Integer.toString(random.nextInt()) : pick(VALUES, random);
  }

  private static String pick(List<String> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"5.0\",\"pt\":4,\"seq\":1,\"set\":{\"x\":1}}",
        "{\"node\":\"a\",\"log\":\"l\",\"hlc\":5,\"message\":\"m\",\"fields\":{\"level\":\"WARN\"}}",
        "{\"node\":\"a\",\"log\":\"l\",\"hlc\":5,\"send\":{\"to\":\"b\",\"id\":\"m1\"}}\r",
        "{\"node\":\"a\",\"hlc\":5,\"heartbeat\":true,\"promise\":50000}"
      })
  void read_usualLine_isRead(String text) {
    byte[] line = text.getBytes(StandardCharsets.UTF_8);
    assertThat(new EventLine().read(line, line.length)).isTrue();
  }
}
