// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The position at which a log server begins to read a topic when it starts.
 *
 * @param offsets by partition; empty unless the kind is {@link Kind#OFFSETS}
 */
public record StartFrom(Kind kind, Map<Integer, Long> offsets) {
  /** The stored position, or the beginning if there is none. */
  public static final StartFrom STORED = new StartFrom(Kind.STORED, Map.of());

  private static final String EXPECTED =
      "expected stored, available, earliest or PARTITION:OFFSET,...";

  /** The kinds of positions. */
  public enum Kind {
    /** The stored position; if its records were removed, reading stops with an error. */
    STORED,
    /** The stored position; if its records were removed, the first available record. */
    AVAILABLE,
    /** The first available record; stored events are recognised as duplicates. */
    EARLIEST,
    /** The given offsets; as {@link #STORED} in partitions without one. */
    OFFSETS
  }

  /** Copies the offsets. */
  public StartFrom {
    offsets = Map.copyOf(offsets);
  }

  /**
   * Parses a command-line option.
   *
   * @throws IllegalArgumentException if it is invalid; the message lists the valid forms
   */
  public static StartFrom parse(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "stored" -> STORED;
      case "available" -> new StartFrom(Kind.AVAILABLE, Map.of());
      case "earliest" -> new StartFrom(Kind.EARLIEST, Map.of());
      default -> new StartFrom(Kind.OFFSETS, parseOffsets(text));
    };
  }

  /** As the command line has it. */
  @Override
  public String toString() {
    return kind == Kind.OFFSETS
        ? new TreeMap<>(offsets)
            .entrySet().stream()
                .map(offset -> offset.getKey() + ":" + offset.getValue())
                .collect(Collectors.joining(","))
        : kind.name().toLowerCase(Locale.ROOT);
  }

  private static Map<Integer, Long> parseOffsets(String text) {
    Map<Integer, Long> offsets = new HashMap<>();
    for (String part : text.split(",", -1)) {
      if (!part.strip().matches("\\d{1,9}:\\d{1,18}")) {
        throw new IllegalArgumentException(EXPECTED + ", not \"" + text + "\"");
      }
      int colon = part.indexOf(':');
      int partition = Integer.parseInt(part.substring(0, colon).strip());
      if (offsets.put(partition, Long.parseLong(part.substring(colon + 1).strip())) != null) {
        throw new IllegalArgumentException("partition " + partition + " is named twice: " + text);
      }
    }
    return offsets;
  }
}
