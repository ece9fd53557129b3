// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteLimiter;
import io.retroscope.sonify.soundscape.Places;
import io.retroscope.sonify.soundscape.SoundRules;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.Collection;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * A soundscape that is heard while its cuts are made. Played time is that of the stamps, so that
 * the notes are those of the past. Thread-safe.
 */
public final class LiveSoundscape {
  /*
   * Stamps arrive late by an amount that varies. The largest (stamp - arrival) seen so far shows the
   * smallest delay; it gives way by DRIFT, because clocks drift. Played time is LAG_MICROS less than
   * the time estimated in this way, and inputs wait for it in the order of their stamps: one that
   * arrives up to LAG_MICROS later than the fastest still takes its place.
   */

  /** The time by which everything sounds later than it could. */
  static final long LAG_MICROS = 100_000;

  /** The largest number of inputs that wait; the earliest takes effect when there are more. */
  static final int MAX_WAITING = 100_000;

  /** The speed at which the estimate may fall back, in microseconds per second. */
  private static final long DRIFT_MICROS_PER_SECOND = 200;

  private static final long SECOND_NANOS = 1_000_000_000;

  private final Soundscape soundscape;
  private final NoteLimiter limiter;
  private final LongSupplier nanos;
  private final PriorityQueue<SoundInput> waiting = new PriorityQueue<>(SoundInput.ORDER);
  private boolean begun;

  /** Whether time passes although no stamp is known: the server was lost before its first one. */
  private boolean waits;

  private long waitsFromNanos;
  private long baseMicros;
  private long aheadMicros;
  private long aheadAt;
  private long hlc = HlcTimestamp.MIN_PACKED;

  /**
   * A soundscape that begins with its first input or progress.
   *
   * @param nodes known at the start; each gets a place
   * @param tailMicros how long the patch of a note sounds after its length
   * @param nanos a stopwatch
   */
  public LiveSoundscape(
      SoundRules rules,
      Collection<String> nodes,
      ToLongFunction<NoteEvent> tailMicros,
      LongSupplier nanos,
      Consumer<NoteEvent> out) {
    this.nanos = nanos;
    this.limiter = new NoteLimiter(tailMicros, out);
    this.soundscape = new Soundscape(rules, nodes, limiter::add);
  }

  /** Takes an input. */
  public synchronized void add(SoundInput input) {
    arrived(input.stampMicros());
    if (waiting.size() == MAX_WAITING) {
      give();
    }
    waiting.add(input);
    advance();
  }

  /** Takes an input of the past, which sets a state now. */
  public synchronized void addHistory(SoundInput input) {
    input.asHistory().to(soundscape, now());
  }

  /** All inputs up to this stamp have been given. */
  public synchronized void progress(long stamp) {
    hlc = Math.max(hlc, stamp);
    arrived(HlcTimestamp.micros(stamp));
    advance();
  }

  /** Sounds everything that is due; to be called every few milliseconds. */
  public synchronized void advance() {
    if (begun) {
      long reached = stampMicros();
      while (!waiting.isEmpty() && waiting.element().stampMicros() <= reached) {
        give();
      }
    }
    soundscape.advance(now());
  }

  private void give() {
    SoundInput next = waiting.remove();
    next.to(soundscape, Math.max(0, next.stampMicros() - baseMicros));
  }

  /** History has been given: one note, if there was any. */
  public synchronized void caughtUp(long rowCount) {
    soundscape.caughtUp(hlc, now(), rowCount);
  }

  /** The server is lost. */
  public synchronized void lose() {
    if (!begun && !waits) {
      waits = true;
      waitsFromNanos = nanos.getAsLong();
    }
    soundscape.lose(hlc, now());
  }

  /** The server is back. */
  public synchronized void regain() {
    soundscape.regain(hlc, now());
  }

  /** Acknowledges all alarms of these rules. */
  public synchronized void acknowledge(Collection<Rule> rules) {
    rules.forEach(rule -> soundscape.acknowledge(rule.name(), now()));
  }

  /** The notes left out as too many, by rule. */
  public synchronized Map<String, Long> dropped() {
    return limiter.dropped();
  }

  /** One line for each node that has a place. */
  public synchronized String legend() {
    Places places = soundscape.places();
    StringBuilder text = new StringBuilder();
    places
        .all()
        .forEach(
            (node, place) ->
                text.append(text.isEmpty() ? "" : "; ")
                    .append(node)
                    .append(place.pan() < 0 ? " left" : place.pan() > 0 ? " right" : " middle")
                    .append(
                        place.semitones() < 0 ? ", low" : place.semitones() > 0 ? ", high" : ""));
    return places.areShared() ? text + " (some share a place)" : text.toString();
  }

  private void arrived(long stampMicros) {
    long at = nanos.getAsLong();
    if (!begun) {
      begun = true;
      baseMicros = waits ? stampMicros - LAG_MICROS - waitedMicros() : stampMicros;
      aheadMicros = stampMicros - at / 1_000;
      aheadAt = at;
      return;
    }
    aheadMicros -= (at - aheadAt) / (SECOND_NANOS / DRIFT_MICROS_PER_SECOND);
    aheadAt = at;
    aheadMicros = Math.max(aheadMicros, stampMicros - at / 1_000);
  }

  /** The stamp up to which everything sounds now. */
  private long stampMicros() {
    return aheadMicros + nanos.getAsLong() / 1_000 - LAG_MICROS;
  }

  private long now() {
    return begun ? Math.max(0, stampMicros() - baseMicros) : waitedMicros();
  }

  private long waitedMicros() {
    return waits ? (nanos.getAsLong() - waitsFromNanos) / 1_000 : 0;
  }
}
