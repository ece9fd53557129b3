// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import io.retroscope.sonify.soundscape.Mark;
import io.retroscope.sonify.soundscape.Origin;
import io.retroscope.sonify.soundscape.RuleReading;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Consumer;

/** A reader of the rows of one rule's query. Not thread-safe. */
public final class RuleRows {
  private final Rule rule;
  private final Set<String> nodes = new LinkedHashSet<>();
  private int voices = -1;
  private int edge = -1;
  private int duration = -1;

  /** Creates a reader before the first row. */
  public RuleRows(Rule rule) {
    this.rule = rule;
  }

  /** Takes the columns of the result. The voices are the first that the query selects. */
  public void columns(List<Column> columns) {
    for (int i = 0; i < columns.size(); i++) {
      boolean automatic = columns.get(i).automatic();
      edge = automatic && columns.get(i).name().equals("edge") ? i : edge;
      duration = automatic && columns.get(i).name().equals("durationMicros") ? i : duration;
      voices = !automatic && voices < 0 ? i : voices;
    }
  }

  /**
   * Reads the inputs that a row makes.
   *
   * @param origin how the row came
   * @param out takes them
   * @throws IllegalArgumentException if the value of a level or a background is not a number
   */
  public void row(Row row, Origin origin, Consumer<SoundInput> out) {
    switch (rule.kind()) {
      case ROWS -> mark(row, origin, out);
      case LEVELS, BACKGROUND -> voices(row, origin, out);
      case ALARM -> alarm(row, origin, out);
    }
  }

  private void mark(Row row, Origin origin, Consumer<SoundInput> out) {
    if (row.note().isEmpty()) {
      return;
    }
    Note note = row.note().get();
    Mark mark =
        new Mark(
            row.hlc(),
            0,
            rule.name(),
            "",
            rule.patch().name(),
            note.note(),
            note.velocity(),
            note.lengthMicros(),
            note.pan(),
            origin);
    out.accept(new SoundInput.OfRow(stampMicros(row), mark));
  }

  /**
   * When the row was known, in microseconds: a rise when its predicate had held for long enough, an
   * interval at its end.
   */
  public long stampMicros(Row row) {
    long stamp = HlcTimestamp.micros(row.hlc());
    if (rises(row)) {
      return stamp + rule.lastsMicros();
    }
    return duration >= 0 && row.values().get(duration) instanceof LongValue micros
        ? stamp + micros.value()
        : stamp;
  }

  private boolean rises(Row row) {
    return edge >= 0
        && row.values().get(edge) instanceof StringValue text
        && text.value().equals("rise");
  }

  private void alarm(Row row, Origin origin, Consumer<SoundInput> out) {
    out.accept(
        reading(row.hlc(), stampMicros(row), "", rises(row), OptionalDouble.empty(), origin));
  }

  private void voices(Row row, Origin origin, Consumer<SoundInput> out) {
    Set<String> silent = new LinkedHashSet<>(nodes);
    for (Value voice : ((SetValue) row.values().get(voices)).elements()) {
      String[] parts = ((StringValue) voice).value().split(" ", 3);
      boolean truth = parts[0].equals("true");
      OptionalDouble value =
          parts[1].equals("NULL") ? OptionalDouble.empty() : OptionalDouble.of(number(parts[1]));
      nodes.add(parts[2]);
      silent.remove(parts[2]);
      out.accept(voice(row, parts[2], truth, value, origin));
    }
    silent.forEach(node -> out.accept(voice(row, node, false, OptionalDouble.empty(), origin)));
  }

  private double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "rule %s: LEVEL and FOLLOW take numbers, not %s".formatted(rule.name(), text), e);
    }
  }

  private SoundInput voice(
      Row row, String node, boolean truth, OptionalDouble value, Origin origin) {
    return reading(row.hlc(), HlcTimestamp.micros(row.hlc()), node, truth, value, origin);
  }

  private SoundInput reading(
      long hlc, long stampMicros, String node, boolean truth, OptionalDouble value, Origin origin) {
    return new SoundInput.OfVoice(
        stampMicros, new RuleReading(hlc, 0, rule.name(), node, truth, value, origin));
  }
}
