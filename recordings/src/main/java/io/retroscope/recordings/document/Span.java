// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One operation of one node, as every format of traces describes it. Immutable.
 *
 * @param node 1 to 200 characters
 * @param name at most {@link #MAX_NAME_LENGTH} characters, not empty
 * @param attributes what else is known, in order; not changed any more
 */
public record Span(
    String node, String name, SpanKind kind, Ids ids, Times times, Map<String, Value> attributes) {
  /** The longest name, which is also part of the name of a variable. */
  public static final int MAX_NAME_LENGTH = 1_000;

  /** The time after which a span without an end is taken to have ended, in nanoseconds. */
  static final long EXPIRY_NANOS = 3_600_000_000_000L;

  /** The last time of a stamp, in nanoseconds. */
  static final long MAX_NANOS = HlcTimestamp.MAX_MICROS * 1_000;

  /** The attribute with the stamp of the span's start. */
  static final String STAMP = "hlc";

  /** The memory of a span without its characters and attributes, about. */
  private static final int OBJECT_BYTES = 500;

  private static final String UNNAMED = "unnamed";

  /**
   * The place of a span among others.
   *
   * @param trace in hexadecimal digits
   * @param span the same
   * @param parent the same; empty if there is none
   * @param relation how the span depends on its parent
   */
  public record Ids(String trace, String span, String parent, Relation relation) {
    /** Identities of a span whose parent waits for it. */
    public Ids(String trace, String span, String parent) {
      this(trace, span, parent, Relation.CHILD);
    }
  }

  /** How a span depends on its parent. */
  public enum Relation {
    /** The parent may wait for it. */
    CHILD,
    /** The parent does not wait for it. */
    FOLLOWER,
    /** Both ends of a request have this one identity. */
    SHARED
  }

  /**
   * The times of a span by its node's clock.
   *
   * @param startNanos unsigned nanoseconds since 1970
   * @param endNanos the same; 0 if the end is not known
   */
  public record Times(long startNanos, long endNanos) {
    /** Whether the end is known. */
    public boolean isEnded() {
      return endNanos != 0;
    }

    /** The duration in microseconds, negative if the clock was set back meanwhile. */
    long micros() {
      return Math.floorDiv(endNanos - startNanos, 1_000L);
    }

    /** When it leaves the state of its node. */
    long leaveNanos() {
      return isEnded() ? Math.max(startNanos, endNanos) : startNanos + EXPIRY_NANOS;
    }
  }

  /** Shortens the name. */
  public Span {
    name = name.isEmpty() ? UNNAMED : name;
    name = name.length() <= MAX_NAME_LENGTH ? name : name.substring(0, MAX_NAME_LENGTH);
  }

  /**
   * Checks that its times can be those of events.
   *
   * @throws IllegalArgumentException if they cannot
   */
  public void check() {
    if (times.startNanos() <= 0 || times.startNanos() > MAX_NANOS) {
      throw new IllegalArgumentException(
          times.startNanos() == 0 ? "it has no time" : "its time is before 1970 or after 2112");
    }
    if (times.endNanos() < 0 || times.leaveNanos() > MAX_NANOS) {
      throw new IllegalArgumentException("its end is before 1970 or after 2112");
    }
    if (node.isEmpty() || node.length() > Event.MAX_NODE_LENGTH) {
      throw new IllegalArgumentException(
          "its node must have 1 to %d characters: it has %d"
              .formatted(Event.MAX_NODE_LENGTH, node.length()));
    }
  }

  /** The same span, moved to another start. */
  public Span from(long startNanos) {
    boolean hasDuration = times.isEnded() && times.startNanos() != 0;
    Times moved =
        new Times(startNanos, hasDuration ? startNanos + times.endNanos() - times.startNanos() : 0);
    return new Span(node, name, kind, ids, moved, attributes);
  }

  /** The same span of another node. */
  Span of(String otherNode) {
    return new Span(otherNode, name, kind, ids, times, attributes);
  }

  /** The same span with other attributes. */
  Span with(Map<String, Value> other) {
    return new Span(node, name, kind, ids, times, other);
  }

  /** The stamp that the node gave its start, as {@code <micros>.<logical>}. */
  public Optional<String> stamp() {
    return attributes.get(STAMP) instanceof Value.StringValue text
        ? Optional.of(text.value()).filter(stamp -> !stamp.isEmpty())
        : Optional.empty();
  }

  /** Whether the operation failed. */
  boolean isError() {
    return Value.of(true).equals(attributes.get("error"));
  }

  /** The fields of its line. */
  Map<String, Value> fields() {
    Map<String, Value> fields = identity();
    attributes.forEach(fields::putIfAbsent);
    fields.remove(STAMP);
    return fields;
  }

  /** The fields of the line at its end. */
  Map<String, Value> endFields() {
    Map<String, Value> fields = identity();
    for (String name : new String[] {"error", "status"}) {
      if (attributes.containsKey(name)) {
        fields.put(name, attributes.getOrDefault(name, Value.NullValue.NULL));
      }
    }
    fields.put(times.isEnded() ? "ended" : "expired", Value.of(true));
    return fields;
  }

  private Map<String, Value> identity() {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("kind", Value.of(kind.name()));
    put(fields, "trace", ids.trace());
    put(fields, "span", ids.span());
    put(fields, "parent", ids.parent());
    if (times.isEnded()) {
      fields.put("micros", Value.of(times.micros()));
    }
    return fields;
  }

  /** Adds a text, unless it is empty. */
  static void put(Map<String, Value> fields, String name, String text) {
    if (!text.isEmpty()) {
      fields.put(name, Value.of(text));
    }
  }

  /** The memory that it takes, about. */
  public long sizeBytes() {
    int characters =
        name.length() + ids.trace().length() + ids.span().length() + ids.parent().length();
    return OBJECT_BYTES + 2L * characters + ValueSize.of(attributes);
  }
}
