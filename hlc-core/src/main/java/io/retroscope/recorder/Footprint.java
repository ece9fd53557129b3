// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.Value;
import java.util.List;
import java.util.Map;

/** Upper estimates of the heap that values and events hold, in bytes. */
final class Footprint {
  /* An object with its header, its padding and the reference to it; a text also has its array. */
  private static final int OBJECT = 40;
  private static final int TEXT = 2 * OBJECT;
  private static final int FIELD = 2 * OBJECT;
  private static final int COLLECTION = 4 * OBJECT;

  private Footprint() {}

  static int of(String text) {
    return clamp(sum(text));
  }

  /** The size of a change's payload: a text or a value. */
  static int ofPayload(Object payload) {
    return payload instanceof Value value ? of(value) : of(String.valueOf(payload));
  }

  static int of(Value value) {
    return clamp(sum(value));
  }

  static int of(Change change) {
    return clamp(sum(change));
  }

  static int of(EventBody body) {
    long content =
        switch (body.kind()) {
          case STATE_CHANGE -> sum(((EventBody.StateChange) body).changes());
          case LOG_LINE -> sum((EventBody.LogLine) body);
          case SEND, RECEIVE, HEARTBEAT, START, STOP -> 0; // at most two short texts
        };
    return clamp(COLLECTION + content);
  }

  private static long sum(List<Change> changes) {
    return changes.stream().mapToLong(Footprint::sum).sum();
  }

  private static long sum(EventBody.LogLine line) {
    return sum(line.message()) + sum(line.fields());
  }

  /** Limits a size, so that several can be added without overflow. */
  private static int clamp(long bytes) {
    return (int) Math.min(1 << 28, bytes);
  }

  private static long sum(String text) {
    return TEXT + 2L * text.length();
  }

  private static long sum(Change change) {
    return OBJECT + sum(change.variable()) + sum(change.value());
  }

  private static long sum(Value value) {
    if (value instanceof Value.StringValue text) {
      return OBJECT + sum(text.value());
    }
    if (value instanceof Value.SetValue set) {
      long sum = COLLECTION;
      for (Value element : set.elements()) {
        sum += sum(element);
      }
      return sum;
    }
    return value instanceof Value.StructValue struct ? sum(struct.fields()) : OBJECT;
  }

  private static long sum(Map<String, Value> fields) {
    long sum = COLLECTION;
    for (Map.Entry<String, Value> field : fields.entrySet()) {
      sum += FIELD + sum(field.getKey()) + sum(field.getValue());
    }
    return sum;
  }
}
