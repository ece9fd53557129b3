// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.server.kafka.Health.Part;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Tests of the log lines about reading, and of their frequency. */
class HealthTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger("io.retroscope.server.kafka");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private long now = 1;

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.INFO);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  @Test
  void trouble_again_isLoggedOnceUntilItChanges() {
    Health health = new Health("t");
    health.trouble(Part.PROBE, "no broker answers");
    health.trouble(Part.PROBE, "no broker answers");
    health.trouble(Part.READER, "no broker answers");
    health.trouble(Part.STORE, "the disk is full");
    assertThat(health.current()).contains("the disk is full");
    health.well(Part.STORE);
    health.well(Part.READER);
    health.well(Part.PROBE);
    health.well(Part.PROBE);

    assertThat(health.current()).isEmpty();
    assertThat(loggedLines())
        .containsExactly(
            "no broker answers; trying again",
            "the disk is full; trying again",
            "topic \"t\" is being read again");
  }

  @Test
  void stop_outlastsEveryImprovement() {
    Health health = new Health("t");
    health.stop("records are gone");
    health.trouble(Part.PROBE, "no broker answers");
    health.well(Part.PROBE);

    assertThat(health.isStopped()).isTrue();
    assertThat(health.current()).contains("records are gone");
    assertThat(loggedLines()).containsExactly("reading from Kafka has stopped: records are gone");
  }

  @Test
  void skipped_thousands_areLoggedNowAndThen() {
    SkippedRecords skipped = new SkippedRecords(() -> now);
    for (int i = 0; i < 5_000; i++) {
      skipped.foreign(3, i, "not a block");
      now += TimeUnit.MILLISECONDS.toNanos(20);
    }
    assertThat(skipped.foreignCount()).isEqualTo(5_000);
    assertThat(loggedLines())
        .hasSize(SkippedRecords.LOGGED_EACH + 1)
        .first()
        .isEqualTo(
            "record 0 of partition 3 contains no block of events and is skipped (not a block);"
                + " 1 so far");
  }

  private List<String> loggedLines() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
