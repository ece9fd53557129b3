// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.compare;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.print.ValueText;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a node did at one stamp, as far as it is compared.
 *
 * @param hlc packed stamp, which is not compared
 * @param parts at least one
 */
record Step(long hlc, List<Part> parts) {
  /** The kinds of parts. */
  enum Kind {
    SET("="),
    ADD("+="),
    REMOVE("-="),
    UNSET("is unset"),
    SEND("sends to"),
    RECEIVE("receives from"),
    START("starts"),
    STOP("stops");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /**
   * One change, message, start or stop.
   *
   * @param name {@code log.variable}, or the log of a message; otherwise empty
   * @param value the value that is set, added or removed, or the other node of a message
   */
  record Part(Kind kind, String name, Value value) {
    /** The text, such as {@code setd.r1 = 4}. */
    String text() {
      return switch (kind) {
        case START, STOP -> kind.words;
        case UNSET -> name + " " + kind.words;
        case SEND, RECEIVE -> name + " " + kind.words + " " + ValueText.of(value);
        case SET, ADD, REMOVE ->
            name + " " + kind.words + " " + (value == NullValue.NULL ? "NULL" : literal());
      };
    }

    private String literal() {
      return value instanceof Value.StringValue string
          ? "'" + ValueText.printable(string.value()) + "'"
          : ValueText.of(value);
    }
  }

  /** Whether another step has the same parts. */
  boolean hasPartsOf(Step other) {
    return parts.equals(other.parts);
  }

  String text() {
    return parts.stream().map(Part::text).collect(Collectors.joining(", "));
  }
}
