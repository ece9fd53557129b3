package io.retroscope.rql.plan;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
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

  private final Optional<Statement.Play> play;
  private final @Nullable Evaluator note;
  private final @Nullable Evaluator velocity;

  NoteMaker(Optional<Statement.Play> play, Translator translator) {
    this.play = play;
    this.note = play.flatMap(Statement.Play::note).map(e -> number(e, translator)).orElse(null);
    this.velocity =
        play.flatMap(Statement.Play::velocity).map(e -> number(e, translator)).orElse(null);
  }

  /** Returns the note, clamped to MIDI's range; empty without PLAY or if the pitch is NULL. */
  Optional<Note> note(Frame frame) {
    if (play.isEmpty()) {
      return Optional.empty();
    }
    Value pitch = note == null ? Value.of(DEFAULT_NOTE) : note.value(frame);
    Value force = velocity == null ? Value.of(DEFAULT_VELOCITY) : velocity.value(frame);
    if (Types.isNull(pitch)) {
      return Optional.empty();
    }
    Value strength = Types.isNull(force) ? Value.of(DEFAULT_VELOCITY) : force;
    return Optional.of(
        new Note(
            play.get().instrument(),
            clamped(pitch, 0),
            clamped(strength, 1),
            Math.max(1, play.get().lengthMicros().orElse(DEFAULT_LENGTH_MICROS))));
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
