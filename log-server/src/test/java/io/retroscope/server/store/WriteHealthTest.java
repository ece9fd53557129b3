// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.server.store.disk.StoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WriteHealthTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(WriteHealth.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

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
  void failed_again_isLoggedOnceAndSoIsItsEnd() {
    WriteHealth health = new WriteHealth();
    health.succeeded();
    for (int i = 0; i < 100; i++) {
      health.failed(new StoreException("the disk is full"));
    }
    health.succeeded();
    health.succeeded();
    assertThat(lines.list)
        .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
        .containsExactly(
            "ERROR nothing can be stored: the disk is full", "INFO events are stored again");
  }

  @Test
  void trouble_isTheLastReasonUntilAWriteSucceeds() {
    WriteHealth health = new WriteHealth();
    assertThat(health.trouble()).isEmpty();
    health.failed(new StoreException("the disk is full"));
    health.failed(new StoreException("a sync failed"));
    assertThat(health.trouble()).hasValue("a sync failed");
    health.succeeded();
    assertThat(health.trouble()).isEmpty();
  }
}
