// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.ast.Statement.Verdict;
import io.retroscope.rql.print.ValueText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A stretch of time in which a rule is broken or, for EVENTUALLY and SOMETIMES, the cut at which it
 * is fulfilled. Immutable.
 */
public final class Episode {
  private final String rule;
  private final Optional<String> element;
  private final Map<String, Value> columns;
  private final StructValue cut;

  /**
   * Creates an episode.
   *
   * @param rule the rule's name
   * @param element the column with the element of FOR EACH, see {@link Rule#element}
   * @param columns the values of the automatic columns by their names
   * @param cut the values that the rule names, at the start
   */
  Episode(String rule, Optional<String> element, Map<String, Value> columns, StructValue cut) {
    this.rule = rule;
    this.element = element;
    this.columns = Map.copyOf(columns);
    this.cut = cut;
  }

  /**
   * The row of POSSIBLY or DEFINITELY as an episode, which begins at the highest stamp of the cut;
   * empty if its answer is not TRUE.
   */
  static Optional<Episode> ofDetection(String rule, Row row) {
    if (!BooleanValue.TRUE.equals(row.values().get(0))) {
      return Optional.empty();
    }
    Map<String, Value> shown = new LinkedHashMap<>();
    shown.put("cut", row.values().get(1));
    shown.put("messages", row.values().get(2));
    long last = HlcTimestamp.MIN_PACKED;
    if (row.values().get(1) instanceof StructValue stamps) {
      for (Value stamp : stamps.fields().values()) {
        last = stamp instanceof TimestampValue at ? Math.max(last, at.packed()) : last;
      }
    }
    return Optional.of(
        new Episode(
            rule,
            Optional.empty(),
            Map.of("hlc", new TimestampValue(last)),
            new StructValue(shown)));
  }

  /**
   * The identity, which is the same wherever the rule is evaluated over the same events: the rule,
   * the item of FOR EACH if there is one, and the stamp of the start.
   */
  public String id() {
    return rule + item().map(name -> "[" + name + "]").orElse("") + "@" + HlcTimestamp.text(hlc());
  }

  /** The item of FOR EACH; empty without it. */
  Optional<String> item() {
    return cut.fields().entrySet().stream()
        .filter(column -> element.map(column.getKey()::equals).orElse(isName(column.getKey())))
        .map(column -> ValueText.of(column.getValue()))
        .findFirst();
  }

  private static boolean isName(String column) {
    return column.startsWith("NAME(");
  }

  /** The packed stamp of the start; 0 for rows of an outer query without one. */
  public long hlc() {
    return columns.get("hlc") instanceof TimestampValue stamp ? stamp.packed() : 0;
  }

  /** The time of the start on the driver's clock, in ISO 8601; empty if unknown. */
  public Optional<String> time() {
    return columns.get("time") instanceof StringValue time
        ? Optional.of(time.value())
        : Optional.empty();
  }

  /** The duration in microseconds; empty for rows that are not stretches. */
  public OptionalLong durationMicros() {
    return micros("durationMicros");
  }

  /** The uncertainty of the duration in microseconds; empty if unknown. */
  public OptionalLong durationUncertaintyMicros() {
    return micros("durationUncertaintyMicros");
  }

  /** The uncertainty of the time in microseconds; empty if unknown. */
  public OptionalLong uncertaintyMicros() {
    return micros("uncertaintyMicros");
  }

  private OptionalLong micros(String column) {
    return columns.get(column) instanceof LongValue micros
        ? OptionalLong.of(micros.value())
        : OptionalLong.empty();
  }

  /** Whether it had not ended at the end of the range. */
  public boolean open() {
    return BooleanValue.TRUE.equals(columns.get("open"));
  }

  /** The values that the rule names, at the start. */
  public StructValue cut() {
    return cut;
  }

  /** The name that a column of values has for users. */
  static String shownName(String column) {
    return column.startsWith(Verdict.VALUE_OF)
        ? column.substring(Verdict.VALUE_OF.length())
        : column;
  }
}
