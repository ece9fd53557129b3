// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one advance of all alerts changes, until it is stored. Used by the thread that stores, and
 * before that guarded by the monitor of its service.
 */
final class Batch {
  private final Map<String, Optional<byte[]>> records = new LinkedHashMap<>();
  private final List<AlertMessage> messages = new ArrayList<>();
  private final Map<Outbox, List<Outbox.Entry>> entries = new LinkedHashMap<>();

  void put(String key, StructValue value) {
    put(key, JsonValues.text(value));
  }

  void put(String key, String text) {
    records.put(key, Optional.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  void remove(String key) {
    records.put(key, Optional.empty());
  }

  /** Adds a message that is sent once the batch is stored. */
  void send(AlertMessage message) {
    messages.add(message);
  }

  /** Adds the later changes of a batch whose messages are not in the outboxes yet. */
  void addAll(Batch later) {
    records.putAll(later.records);
    messages.addAll(later.messages);
  }

  Map<String, Optional<byte[]>> records() {
    return records;
  }

  /** Adds the messages to the outboxes that take them; a second call adds nothing. */
  Map<Outbox, List<Outbox.Entry>> entries(List<Outbox> outboxes) {
    for (AlertMessage message : messages) {
      for (Outbox outbox : outboxes) {
        if (outbox.takes(message)) {
          outbox
              .add(message, this)
              .ifPresent(
                  entry -> entries.computeIfAbsent(outbox, first -> new ArrayList<>()).add(entry));
        }
      }
    }
    messages.clear();
    return entries;
  }

  boolean isEmpty() {
    return records.isEmpty() && messages.isEmpty();
  }

  /** Reads a record. */
  static StructValue read(byte[] bytes) {
    if (JsonValues.parse(new String(bytes, StandardCharsets.UTF_8)) instanceof StructValue struct) {
      return struct;
    }
    throw new IllegalArgumentException("a record of an alert is no object of JSON");
  }
}
