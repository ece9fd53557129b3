// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One record of a log of the OpenTelemetry protocol. Immutable.
 *
 * @param node 1 to 200 characters
 * @param nanos unsigned nanoseconds since 1970; 0 if the record has no time
 * @param stamp that the node gave it, as {@code <micros>.<logical>}; empty if it gave none
 * @param line its text and fields
 */
public record LogRecord(String node, long nanos, Optional<String> stamp, EventBody.LogLine line) {
  /** The memory of a record without its texts, about. */
  private static final int OBJECT_BYTES = 300;

  /** The memory that it takes, about. */
  public long sizeBytes() {
    return OBJECT_BYTES + ValueSize.of(line.message()) + ValueSize.of(line.fields());
  }

  /** A record under construction. Used by one thread. */
  public static final class Draft {
    static final int LEVELS = 24;
    private static final String[] SEVERITIES = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};

    private final String node;
    private final Map<String, Value> fields = new LinkedHashMap<>();
    private final Map<String, Value> attributes;
    private long nanos;
    private String message = "";

    /**
     * A record without a time.
     *
     * @param attributes the first of which each name counts, and none has the name of a field
     */
    public Draft(String node, Map<String, Value> attributes) {
      this.node = node;
      this.attributes = attributes;
    }

    /** Sets the time, for which that of the observation is taken if it is 0. */
    public Draft time(long timeNanos, long observedNanos) {
      nanos = timeNanos != 0 ? timeNanos : observedNanos;
      return this;
    }

    /** Sets the severity: its text, or else the name of its number. */
    public Draft severity(int number, String text) {
      Span.put(fields, "level", text.isEmpty() ? level(number) : text);
      if (!text.isEmpty() && number != 0) {
        fields.put("severityNumber", Value.of((long) number));
      }
      return this;
    }

    /** The name of a severity's number; empty if there is none. */
    static String level(int number) {
      if (number < 1 || number > LEVELS) {
        return "";
      }
      int step = (number - 1) % 4;
      return SEVERITIES[(number - 1) / 4] + (step == 0 ? "" : Integer.toString(step + 1));
    }

    /** Adds a text, unless it is empty. */
    public Draft with(String name, String text) {
      Span.put(fields, name, text);
      return this;
    }

    /** Sets the text, or a field if the body is anything else. */
    public Draft body(Value body) {
      if (body instanceof Value.StringValue text) {
        message = text.value();
      } else {
        fields.put("body", body);
      }
      return this;
    }

    /** The record. */
    public LogRecord record() {
      attributes.forEach(fields::putIfAbsent);
      Optional<String> stamp =
          fields.remove(Span.STAMP) instanceof Value.StringValue text
              ? Optional.of(text.value()).filter(given -> !given.isEmpty())
              : Optional.empty();
      return new LogRecord(node, nanos, stamp, new EventBody.LogLine(message, fields));
    }
  }
}
