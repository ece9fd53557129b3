// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The current failure of reading, logged once per change. Thread-safe. */
final class Health {
  private static final Logger logger = LoggerFactory.getLogger(Health.class);

  /** The threads that can fail, in the order in which their failures are reported. */
  enum Part {
    STORE,
    READER,
    PROBE
  }

  private final String topic;
  private final Map<Part, String> troubles = new EnumMap<>(Part.class);
  private Optional<String> stopped = Optional.empty();

  Health(String topic) {
    this.topic = topic;
  }

  synchronized void trouble(Part part, String sentence) {
    Optional<String> before = current();
    troubles.put(part, sentence);
    if (!before.equals(current())) {
      logger.warn("{}; trying again", current().orElse(sentence));
    }
  }

  synchronized void well(Part part) {
    boolean cleared = troubles.remove(part) != null;
    if (cleared && current().isEmpty()) {
      logger.info("topic \"{}\" is being read again", topic);
    }
  }

  synchronized void stop(String sentence) {
    stopped = Optional.of(sentence);
    logger.error("reading from Kafka has stopped: {}", sentence);
  }

  synchronized boolean isStopped() {
    return stopped.isPresent();
  }

  /** The current failure, in one sentence. */
  synchronized Optional<String> current() {
    return stopped.or(() -> troubles.values().stream().findFirst());
  }
}
