// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.evaluation.Arithmetic;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.NaryOperation;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The evaluation of PLAY, which adds a note to a row. */
final class NoteMaker {
  private static final int DEFAULT_NOTE = 60;
  private static final int DEFAULT_VELOCITY = 96;
  private static final long DEFAULT_LENGTH_MICROS = 200_000;
  private static final int MIDI_MAX = 127;

  private final Optional<Play> play;
  private final @Nullable Evaluator note;
  private final @Nullable Evaluator velocity;
  private final @Nullable Evaluator pan;

  /**
   * Creates the evaluation of a clause. Sounds of other layers and of levels are not notes of rows.
   */
  NoteMaker(Optional<Play> clause, Translator translator) {
    this.play = clause.filter(Play::soundsRows);
    this.note = play.flatMap(Play::note).map(e -> number(e, translator)).orElse(null);
    this.velocity = play.flatMap(Play::velocity).map(e -> number(e, translator)).orElse(null);
    this.pan = play.flatMap(Play::pan).map(e -> number(e, translator)).orElse(null);
  }

  /** Returns the note, clamped to MIDI's range; empty without PLAY or if the pitch is NULL. */
  Optional<Note> note(Frame frame) {
    if (play.isEmpty()) {
      return Optional.empty();
    }
    Value pitch = note == null ? Value.of(DEFAULT_NOTE) : note.value(frame);
    Value force = velocity == null ? Value.of(DEFAULT_VELOCITY) : velocity.value(frame);
    Value side = pan == null ? NullValue.NULL : pan.value(frame);
    if (Types.isNull(pitch)) {
      return Optional.empty();
    }
    int key = clamped(pitch, 0);
    return Optional.of(
        new Note(
            play.get().instrument(),
            play.get().scale().map(scale -> scale.nearest(key)).orElse(key),
            Types.isNull(force) ? DEFAULT_VELOCITY : clamped(force, 1),
            Math.max(1, play.get().lengthMicros().orElse(DEFAULT_LENGTH_MICROS)),
            Types.isNull(side) ? 0 : Math.max(-1, Math.min(1, Arithmetic.toDouble(side)))));
  }

  private static int clamped(Value number, int least) {
    double rounded = Math.rint(Arithmetic.toDouble(number));
    return (int) Math.max(least, Math.min(MIDI_MAX, rounded));
  }

  private static Evaluator number(Expression expression, Translator translator) {
    SourceRange range = expression.range();
    return NaryOperation.one(range, NoteMaker::checked, translator.one(expression));
  }

  private static Value checked(Value value) {
    if (Arithmetic.isNumber(value) || Types.isNull(value)) {
      return value;
    }
    throw Types.wrong("PLAY takes numbers, not " + Types.described(value));
  }
}
