// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A rise or a fall of an alert's predicate. Immutable; ordered by stamp within one item.
 *
 * @param item the item of FOR EACH; empty without it
 * @param hlc packed
 * @param found packed, the stamp at which the walk found its row, at least {@code hlc}
 * @param digest of its row
 * @param time on the driver's clock in ISO 8601; empty if unknown
 * @param uncertaintyMicros of the time; empty if unknown
 * @param isBorderline whether the row says that the uncertainty of clocks could reverse it
 * @param cut the values that the rule names
 */
public record Edge(
    Kind kind,
    String item,
    long hlc,
    long found,
    long digest,
    String time,
    OptionalLong uncertaintyMicros,
    boolean isBorderline,
    StructValue cut)
    implements Comparable<Edge> {
  private static final Comparator<Edge> ORDER =
      Comparator.comparingLong(Edge::hlc).thenComparing(Edge::kind).thenComparingLong(Edge::digest);

  /** The kinds, in the order in which they happen at one stamp. */
  public enum Kind {
    RISE,
    FALL
  }

  @Override
  public int compareTo(Edge other) {
    return ORDER.compare(this, other);
  }

  /** Returns its fields, as {@link #of} reads them. */
  public StructValue fields() {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("kind", Value.of(kind.name()));
    fields.put("item", Value.of(item));
    fields.put("hlc", Value.of(HlcTimestamp.text(hlc)));
    fields.put("found", Value.of(HlcTimestamp.text(found)));
    fields.put("digest", Value.of(Long.toHexString(digest)));
    fields.put("time", Value.of(time));
    fields.put(
        "uncertaintyMicros",
        uncertaintyMicros.isPresent() ? Value.of(uncertaintyMicros.getAsLong()) : NullValue.NULL);
    fields.put("borderline", Value.of(isBorderline));
    fields.put("cut", cut);
    return new StructValue(fields);
  }

  /**
   * Reads the fields of an edge.
   *
   * @throws IllegalArgumentException if they are not those of one
   */
  public static Edge of(StructValue struct) {
    Map<String, Value> fields = struct.fields();
    return new Edge(
        Kind.valueOf(text(fields, "kind")),
        text(fields, "item"),
        HlcTimestamp.parse(text(fields, "hlc")),
        HlcTimestamp.parse(text(fields, "found")),
        Long.parseUnsignedLong(text(fields, "digest"), 16),
        text(fields, "time"),
        fields.get("uncertaintyMicros") instanceof LongValue micros
            ? OptionalLong.of(micros.value())
            : OptionalLong.empty(),
        BooleanValue.TRUE.equals(fields.get("borderline")),
        fields.get("cut") instanceof StructValue cut ? cut : new StructValue(Map.of()));
  }

  private static String text(Map<String, Value> fields, String name) {
    if (fields.get(name) instanceof StringValue text) {
      return text.value();
    }
    throw new IllegalArgumentException("an edge without " + name);
  }
}
