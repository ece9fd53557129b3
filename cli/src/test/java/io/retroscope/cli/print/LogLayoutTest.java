// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LogLayoutTest {
  private static final long NOON = Instant.parse("2026-11-22T12:00:00.123Z").toEpochMilli();

  private final Logger logger = new LoggerContext().getLogger("io.retroscope.server.app.NodeLog");
  private final LogLayout layout = new LogLayout();

  @Test
  void doLayout_plainMessage_hasTimeLevelAndSource() {
    assertThat(line(NOON, "node {} is back", "a"))
        .isEqualTo("2026-11-22T12:00:00.123Z WARN  NodeLog: node a is back\n");
  }

  @Test
  void doLayout_nameWithControlCharacters_forgesNoLineAndReachesNoTerminalRaw() {
    String name = "a\n2026-11-22T12:00:01.000Z INFO  Health: ready again\u001b[2J\r\u2028\u202e";
    assertThat(line(NOON, "node {} appeared", name))
        .isEqualTo(
            "2026-11-22T12:00:00.123Z WARN  NodeLog: node a\\n2026-11-22T12:00:01.000Z INFO  "
                + "Health: ready again\\u001B[2J\\r\\u2028\\u202E appeared\n");
  }

  @Test
  void doLayout_exception_isOnTheSameLine() {
    LoggingEvent event =
        new LoggingEvent(
            "",
            logger,
            Level.ERROR,
            "a request failed",
            new IllegalStateException("two\nlines", new IllegalArgumentException("why")),
            null);
    assertThat(layout.doLayout(event))
        .hasLineCount(1)
        .contains(
            "a request failed | java.lang.IllegalStateException: two\\nlines | ",
            "LogLayoutTest.doLayout_exception_isOnTheSameLine(LogLayoutTest.java:",
            " | java.lang.IllegalArgumentException: why");
  }

  @Test
  void doLayout_flood_isCutAndCounted() {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      log.append(line(NOON + i, "{} failed", "request " + i));
    }
    log.append(line(NOON + 1_000, "something {}", "else"));
    assertThat(log.toString().lines()).hasSize(FloodGate.MAX_PER_MINUTE + 1);

    assertThat(line(NOON + 60_000, "{} failed", "request"))
        .endsWith("request failed (980 more like this were left out)\n");
    assertThat(line(NOON + 60_001, "{} failed", "request")).endsWith("request failed\n");
  }

  @Test
  void leftOut_manyKinds_areForgottenBeyondTheBound() {
    FloodGate gate = new FloodGate();
    for (int i = 0; i < FloodGate.MAX_PER_MINUTE; i++) {
      assertThat(gate.leftOut("first", 0)).isZero();
    }
    assertThat(gate.leftOut("first", 0)).isEqualTo(FloodGate.SHUT);
    for (int i = 0; i < FloodGate.MAX_KINDS; i++) {
      assertThat(gate.leftOut("kind " + i, 0)).isZero();
    }
    assertThat(gate.leftOut("first", 0)).isZero();
  }

  private String line(long millis, String format, Object argument) {
    LoggingEvent event =
        new LoggingEvent("", logger, Level.WARN, format, null, new Object[] {argument});
    event.setTimeStamp(millis);
    return layout.doLayout(event);
  }
}
