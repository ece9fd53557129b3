// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteLimiter;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.Collection;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * A soundscape whose played time is that of the stamps: each note is returned as soon as its inputs
 * are complete, with the physical time in microseconds at which it sounds. Not thread-safe.
 */
public final class StampedSoundscape {
  private final Soundscape soundscape;
  private final NoteLimiter limiter;
  private final PriorityQueue<SoundInput> waiting = new PriorityQueue<>(SoundInput.ORDER);
  private long baseMicros = Long.MIN_VALUE;

  /**
   * A soundscape that begins with its first input or progress.
   *
   * @param nodes known at the start; each gets a place
   * @param tailMicros how long the patch of a note sounds after its length
   * @param out takes the notes in order of time
   */
  public StampedSoundscape(
      SoundscapeRules rules,
      Collection<String> nodes,
      ToLongFunction<NoteEvent> tailMicros,
      Consumer<NoteEvent> out) {
    limiter = new NoteLimiter(tailMicros, note -> out.accept(note.at(note.micros() + baseMicros)));
    soundscape = new Soundscape(rules.stateful(false), nodes, limiter::add);
  }

  /** Takes an input, after all those of lower stamps. */
  public void add(SoundInput input) {
    if (waiting.size() == LiveSoundscape.MAX_WAITING) {
      give(waiting.remove());
    }
    waiting.add(input);
  }

  /** Takes an input of the past, which sets a state. */
  public void addHistory(SoundInput input) {
    give(input.asHistory());
  }

  /** All inputs up to this stamp have been added: sounds what is due. */
  public void progress(long hlc) {
    long micros = HlcTimestamp.micros(hlc);
    while (!waiting.isEmpty() && waiting.element().stampMicros() < micros) {
      give(waiting.remove());
    }
    soundscape.advance(played(micros) - 1);
  }

  /** History up to this stamp has been given: one note, if there was any. */
  public void caughtUp(long hlc, long rowCount) {
    soundscape.caughtUp(hlc, played(HlcTimestamp.micros(hlc)), rowCount);
  }

  /** No input follows: sounds those that wait. */
  public void end() {
    while (!waiting.isEmpty()) {
      give(waiting.remove());
    }
  }

  /** The notes left out as too many, by rule. */
  public Map<String, Long> dropped() {
    return limiter.dropped();
  }

  private void give(SoundInput input) {
    input.to(soundscape, played(input.stampMicros()));
  }

  private long played(long stampMicros) {
    if (baseMicros == Long.MIN_VALUE) {
      baseMicros = stampMicros;
    }
    return Math.max(0, stampMicros - baseMicros);
  }
}
