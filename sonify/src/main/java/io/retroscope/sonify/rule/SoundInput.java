// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.sonify.soundscape.Mark;
import io.retroscope.sonify.soundscape.Origin;
import io.retroscope.sonify.soundscape.RuleReading;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.Comparator;

/** One input of a soundscape, which can be given to it at any played time. Immutable. */
public sealed interface SoundInput {
  /** By stamp; inputs of one stamp in the order of their rules and nodes. */
  Comparator<SoundInput> ORDER =
      Comparator.comparingLong(SoundInput::stampMicros).thenComparing(SoundInput::voice);

  /** The rule and the node, for the order. */
  String voice();

  /** The physical part of the stamp at which it counts, in microseconds. */
  long stampMicros();

  /** Gives the input to a soundscape at a played time, in microseconds. */
  void to(Soundscape soundscape, long micros);

  /** The same input as one that only sets the state. */
  SoundInput asHistory();

  /**
   * A reading of a voice.
   *
   * @param reading with any played time
   */
  record OfVoice(long stampMicros, RuleReading reading) implements SoundInput {
    @Override
    public String voice() {
      return reading.rule() + ' ' + reading.node();
    }

    @Override
    public void to(Soundscape soundscape, long micros) {
      soundscape.read(reading.with(micros, reading.origin()));
    }

    @Override
    public SoundInput asHistory() {
      return new OfVoice(stampMicros, reading.with(reading.micros(), Origin.HISTORY));
    }
  }

  /**
   * The note of a row.
   *
   * @param mark with any played time
   */
  record OfRow(long stampMicros, Mark mark) implements SoundInput {
    @Override
    public String voice() {
      return mark.rule();
    }

    @Override
    public void to(Soundscape soundscape, long micros) {
      soundscape.mark(mark.with(micros, mark.origin()));
    }

    @Override
    public SoundInput asHistory() {
      return new OfRow(stampMicros, mark.with(mark.micros(), Origin.HISTORY));
    }
  }
}
