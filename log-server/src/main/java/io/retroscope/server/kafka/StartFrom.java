package io.retroscope.server.kafka;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Where a log server begins to read a topic when it starts.
 *
 * @param offsets by partition; empty unless the kind is {@link Kind#OFFSETS}
 */
public record StartFrom(Kind kind, Map<Integer, Long> offsets) {
  /** Where reading stopped, else at the beginning. */
  public static final StartFrom STORED = new StartFrom(Kind.STORED, Map.of());

  private static final String EXPECTED =
      "expected stored, available, earliest or PARTITION:OFFSET,...";

  /** The ways to begin. */
  public enum Kind {
    /** Where reading stopped; if that is gone, reading stops again and says so. */
    STORED,
    /** Where reading stopped; if that is gone, at the first record that is still there. */
    AVAILABLE,
    /** At the first record that is there; what is stored already is recognised. */
    EARLIEST,
    /** At the named offsets; in partitions without one, as {@link #STORED}. */
    OFFSETS
  }

  /** Copies the offsets. */
  public StartFrom {
    offsets = Map.copyOf(offsets);
  }

  /**
   * Reads what stands on a command line.
   *
   * @throws IllegalArgumentException if it is none of them; the message says what is expected
   */
  public static StartFrom parse(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "stored" -> STORED;
      case "available" -> new StartFrom(Kind.AVAILABLE, Map.of());
      case "earliest" -> new StartFrom(Kind.EARLIEST, Map.of());
      default -> new StartFrom(Kind.OFFSETS, parseOffsets(text));
    };
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
