// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.kafka.FencedTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.disk.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * The records about the alerts of a cluster. The topic has them; a store in the data folder, which
 * is filled from it at each takeover, is for reading. Thread-safe.
 */
public final class AlertTopic implements AlertRecords, AutoCloseable {
  /** The record with the identity of the topic of events. */
  private static final String OF = "of";

  /** The records that are stored together. */
  private static final int TOGETHER = 1_000;

  private final FencedTopic topic;
  private final EventStore copy;
  private final Map<String, Optional<byte[]>> identity;
  private volatile boolean ended;

  private AlertTopic(FencedTopic topic, EventStore copy, String of) {
    this.topic = topic;
    this.copy = copy;
    this.identity = Map.of(OF, Optional.of(of.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Fills a store with the records of a topic.
   *
   * @param of the identity of the topic of events
   * @throws KafkaIngestException if the records cannot be read or written
   * @throws StoreException if they are about other events, or cannot be stored
   */
  static AlertTopic open(FencedTopic topic, EventStore copy, String of) {
    AlertTopic alerts = new AlertTopic(topic, copy, of);
    alerts.clear();
    alerts.fill();
    String known = alerts.of();
    if (known.isEmpty()) {
      alerts.confirm();
    } else if (!known.equals(of)) {
      throw new StoreException(
          "the topic of alerts belongs to a topic of events with id %s, not %s: delete it, so that alerts begin anew"
              .formatted(known, of));
    }
    return alerts;
  }

  private String of() {
    StringBuilder known = new StringBuilder();
    readAlerts(
        OF,
        OF,
        (key, value) -> {
          known.append(key.equals(OF) ? new String(value, StandardCharsets.UTF_8) : "");
          return false;
        });
    return known.toString();
  }

  private void clear() {
    Map<String, Optional<byte[]>> old = new HashMap<>();
    do {
      old.clear();
      copy.readAlerts(
          "", "", (key, value) -> old.put(key, Optional.empty()) == null && old.size() < TOGETHER);
      copy.putAlerts(old);
    } while (!old.isEmpty());
  }

  private void fill() {
    Map<String, Optional<byte[]>> some = new LinkedHashMap<>();
    topic.read(
        (key, value) -> {
          some.put(key, value);
          if (some.size() == TOGETHER) {
            copy.putAlerts(some);
            some.clear();
          }
        });
    copy.putAlerts(some);
  }

  @Override
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public void confirm() {
    putAlerts(identity);
  }

  @Override
  public synchronized void putAlerts(Map<String, Optional<byte[]>> records) {
    try {
      topic.write(records);
      copy.putAlerts(records);
    } catch (KafkaIngestException e) {
      ended = true;
      throw new StoreException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public void readAlerts(String prefix, String first, BiPredicate<String, byte[]> visitor) {
    copy.readAlerts(prefix, first, visitor);
  }

  @Override
  public void close() {
    ended = true;
    topic.close();
    copy.close();
  }
}
