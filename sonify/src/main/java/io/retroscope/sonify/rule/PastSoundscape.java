// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.sonify.play.Performance;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import io.retroscope.sonify.soundscape.NoteLimiter;
import io.retroscope.sonify.soundscape.SoundRules;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** The sound of the past: collects the inputs of all rules, then plays them. Not thread-safe. */
public final class PastSoundscape {
  /*
   * The soundscape is played at a speed. If the notes are then too long, it is played again, faster:
   * the times of strikes do not change with the speed, because the ear needs them.
   */

  /** The largest number of inputs that are kept. */
  public static final int MAX_INPUTS = 5_000_000;

  /** The time after the last input: a recovery comes 150 ms after its cut. */
  private static final long AFTER_MICROS = 400_000;

  /** What sounds when the last note has ended. */
  private static final long TAIL_MICROS = 1_000_000;

  private static final int MAX_ATTEMPTS = 20;

  private final SoundRules rules;
  private final boolean continuous;
  private final Collection<String> nodes;
  private final Tempo tempo;
  private final ToLongFunction<NoteEvent> tailMicros;
  private final List<SoundInput> inputs = new ArrayList<>();
  private OptionalLong from = OptionalLong.empty();
  private OptionalLong until = OptionalLong.empty();

  /**
   * A result.
   *
   * @param speed at which it was played
   * @param dropped notes left out, by rule
   */
  public record Played(Performance performance, double speed, Map<String, Long> dropped) {}

  /**
   * A soundscape without inputs.
   *
   * @param nodes known at its start
   * @param tailMicros how long the patch of a note sounds after its length
   */
  public PastSoundscape(
      SoundscapeRules rules,
      boolean heartbeat,
      Collection<String> nodes,
      Tempo tempo,
      ToLongFunction<NoteEvent> tailMicros) {
    this.rules = rules.stateful(heartbeat);
    this.continuous = rules.hasBackground();
    this.nodes = List.copyOf(nodes);
    this.tempo = tempo;
    this.tailMicros = tailMicros;
  }

  /**
   * Limits the sound to a range of stamps, in microseconds; earlier events determine the initial
   * states.
   */
  public void limit(OptionalLong fromMicros, OptionalLong untilMicros) {
    from = fromMicros;
    until = untilMicros;
  }

  /**
   * Takes an input; they may come in any order.
   *
   * @throws IllegalStateException if there are too many
   */
  public void add(SoundInput input) {
    if (inputs.size() == MAX_INPUTS) {
      throw new IllegalStateException(
          "more than " + MAX_INPUTS + " cuts to sound: render a shorter time");
    }
    inputs.add(input);
  }

  /** Plays all inputs. */
  public Played play() {
    inputs.sort(SoundInput.ORDER);
    double speed = tempo.speed();
    Played played = play(speed);
    for (int i = 0; i < MAX_ATTEMPTS && isTooLong(played); i++) {
      speed *= (double) played.performance.lengthMicros() / tempo.maxLengthMicros() * 1.01;
      played = play(speed);
    }
    return played;
  }

  private boolean isTooLong(Played played) {
    return played.performance.lengthMicros() > tempo.maxLengthMicros();
  }

  private Played play(double speed) {
    List<NoteEvent> notes = new ArrayList<>();
    NoteLimiter limiter = new NoteLimiter(tailMicros, notes::add);
    Soundscape soundscape = new Soundscape(rules, nodes, limiter::add);
    long last = inputs.isEmpty() ? 0 : inputs.get(inputs.size() - 1).stampMicros();
    long start = from.orElse(inputs.isEmpty() ? 0 : inputs.get(0).stampMicros());
    long end = until.orElse(last);
    for (SoundInput input : inputs) {
      if (input.stampMicros() < start) {
        input.asHistory().to(soundscape, 0);
      } else if (input.stampMicros() <= end) {
        input.to(soundscape, (long) ((input.stampMicros() - start) / speed));
      }
    }
    soundscape.advance((long) ((end - start) / speed) + AFTER_MICROS);
    return new Played(performance(notes), speed, new LinkedHashMap<>(limiter.dropped()));
  }

  private Performance performance(List<NoteEvent> notes) {
    List<NoteEvent> played = continuous ? notes : withoutLongSilences(notes);
    long end = 0;
    for (NoteEvent note : played) {
      boolean endless = note.lengthMicros() == NoteEvent.UNTIL_THE_END;
      end = Math.max(end, note.micros() + (endless ? 0 : note.lengthMicros()));
    }
    return new Performance(played, played.isEmpty() ? 0 : end + TAIL_MICROS);
  }

  private List<NoteEvent> withoutLongSilences(List<NoteEvent> notes) {
    List<NoteEvent> moved = new ArrayList<>();
    long cut = 0;
    long soundingEnd = 0;
    for (NoteEvent note : notes) {
      long silence = note.micros() - cut - soundingEnd;
      cut += silence > tempo.maxSilenceMicros() ? silence - tempo.maxSilenceMicros() : 0;
      NoteEvent at = note.at(note.micros() - cut);
      moved.add(at);
      soundingEnd = Math.max(soundingEnd, at.micros() + at.lengthMicros());
    }
    return moved;
  }

  /** The time from the start to the end of the last note. */
  public static long soundingMicros(Performance performance) {
    return Math.max(0, performance.lengthMicros() - TAIL_MICROS);
  }

  /** The number of notes, without the changes of notes that sound. */
  public static long noteCount(Performance performance) {
    return performance.notes().stream().filter(note -> note.kind() != NoteKind.FOLLOW).count();
  }
}
