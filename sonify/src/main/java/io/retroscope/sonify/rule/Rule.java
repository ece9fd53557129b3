// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.ast.Statement.When;
import io.retroscope.sonify.bank.Instrument;
import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.UnknownInstrumentException;
import io.retroscope.sonify.soundscape.AlarmRule;
import io.retroscope.sonify.soundscape.BackgroundRule;
import io.retroscope.sonify.soundscape.LevelRule;
import java.util.Locale;
import java.util.Optional;

/**
 * A statement with PLAY as a rule of a soundscape. Immutable.
 *
 * @param name unique in its soundscape: its number and its patch
 * @param statement the formatted statement
 * @param query the text of the query whose rows {@link RuleRows} reads
 * @param snapshot the text of the query for the state at the start of a STREAM; empty if the rule
 *     needs none
 * @param play the clause
 * @param patch that its instrument is
 * @param lastsMicros how long WHEN must hold, in microseconds; 0 without FOR
 */
public record Rule(
    String name,
    String statement,
    String query,
    Optional<String> snapshot,
    Play play,
    Patch patch,
    long lastsMicros) {
  static final int OCTAVE = 12;

  private static final int MIDDLE_C = 60;

  /** How a rule sounds. */
  public enum Kind {
    /** Each row is a note. */
    ROWS,
    /** Stretches are stairs. */
    LEVELS,
    /** A continuous sound. */
    BACKGROUND,
    /** Bursts until it is acknowledged. */
    ALARM
  }

  /**
   * The rule of a statement.
   *
   * @param number of the rule in its soundscape, from 1
   * @return empty if the statement has no PLAY
   * @throws UnknownInstrumentException if its instrument is neither a patch nor one of General MIDI
   */
  public static Optional<Rule> of(int number, Query query, PatchBank bank) {
    return query.play().map(play -> of(number, query, play, bank));
  }

  private static Rule of(int number, Query query, Play play, PatchBank bank) {
    Patch patch = patch(play.instrument(), bank);
    return new Rule(
        number + " " + patch.name(),
        RqlFormatter.format(query),
        RuleQuery.text(query, play),
        snapshot(query, play),
        play,
        patch,
        query.when().map(When::forMicros).map(micros -> micros.orElse(0)).orElse(0L));
  }

  /** Alarms need none, because a predicate that holds at the start makes an edge there. */
  private static Optional<String> snapshot(Query query, Play play) {
    boolean voices = !play.soundsRows() && play.layerOrMark() != Play.Layer.ALARM;
    return voices && query.stream() && query.onTime().isEmpty()
        ? Optional.of(RuleQuery.text(query.asStream(false), play) + " ON TIME NOW")
        : Optional.empty();
  }

  /**
   * The patch of an instrument; the names of patches take precedence over those of General MIDI.
   */
  static Patch patch(String instrument, PatchBank bank) {
    return bank.patch(instrument.toLowerCase(Locale.ROOT))
        .orElseGet(() -> bank.ofProgram(Instrument.named(instrument).program()));
  }

  /** How the rule sounds. */
  public Kind kind() {
    return switch (play.layerOrMark()) {
      case MARK -> play.level().isPresent() ? Kind.LEVELS : Kind.ROWS;
      case BACKGROUND -> Kind.BACKGROUND;
      case ALARM -> Kind.ALARM;
    };
  }

  /** The constant key of its notes; middle C if they have none, or compute it. */
  int key() {
    return play.note().orElse(null) instanceof Expression.Literal literal
            && literal.value() instanceof LongValue key
        ? (int) key.value()
        : MIDDLE_C;
  }

  LevelRule levels() {
    LevelRule usual = LevelRule.of(name, patch.name());
    Play.Level level = play.level().orElseThrow();
    return new LevelRule(
        name,
        patch.name(),
        level.steps().isEmpty() ? usual.steps() : level.steps(),
        usual.root(),
        play.scale().orElse(usual.scale()),
        Math.max(1, play.lengthMicros().orElse(usual.lengthMicros())),
        play.everyMicros().orElse(usual.everyMicros()),
        play.place().isPresent());
  }

  BackgroundRule background() {
    Play.Follow follow = play.follow().orElseThrow();
    return new BackgroundRule(
        name, patch.name(), BackgroundRule.DEFAULT_KEYS, follow.low(), follow.high());
  }

  AlarmRule alarm() {
    return new AlarmRule(
        name,
        patch.name(),
        AlarmRule.Priority.MEDIUM,
        play.everyMicros().orElse(AlarmRule.DEFAULT_EVERY_MICROS));
  }
}
