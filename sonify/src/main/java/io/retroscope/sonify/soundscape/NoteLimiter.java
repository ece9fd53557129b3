// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * A limiter that drops notes if there are too many to hear, and counts them per rule. Notes of two
 * rules are never merged, and an alarm is never dropped. Receives notes in order of time. Not
 * thread-safe.
 */
public final class NoteLimiter {
  /*
   * Two stages. A rule whose rows come faster than MAX_PER_RULE a second becomes a roll: a strike
   * at most every ROLL_GAP_MICROS, with the number of rows per second as its level. A level's
   * staircase counts for its node, since steps that are missing would be another level.
   *
   * Then all that may give way shares one budget per second and one of voices. What gives way first
   * has the smallest part of both. The rest, ESSENTIAL_*, is for what never gives way; no alarm
   * pattern needs more. Among rules that are too many, each has its part, and none a second note
   * while another waits for its first.
   */

  /** Strikes per second of one rule, or of one node of a rule with LEVEL. */
  public static final int MAX_PER_RULE = 8;

  /** Notes that begin per second. */
  public static final int MAX_PER_SECOND = 30;

  /** Voices at a time, of the synthesizer's 64. */
  public static final int MAX_VOICES = 40;

  private static final int ESSENTIAL_PER_SECOND = 10;
  private static final int ESSENTIAL_VOICES = 8;
  private static final long SECOND = 1_000_000;
  private static final long ROLL_GAP_MICROS = 125_000;
  private static final int ROLL_VELOCITY = 70;
  private static final int MAX_VELOCITY = 127;

  private final ToLongFunction<NoteEvent> tailMicros;
  private final Consumer<NoteEvent> out;
  private final Map<String, Strikes> strikes = new HashMap<>();
  private final Map<String, Long> dropped = new LinkedHashMap<>();
  private final Map<String, Recent> recentOfRule = new HashMap<>();
  private final Map<String, Long> wanted = new HashMap<>();
  private final Recent recent = new Recent();
  private final PriorityQueue<Long> voiceEnds = new PriorityQueue<>();

  /**
   * A limiter that passes what remains on.
   *
   * @param tailMicros how long a note's patch sounds after its length
   * @param out takes the notes that remain
   */
  public NoteLimiter(ToLongFunction<NoteEvent> tailMicros, Consumer<NoteEvent> out) {
    this.tailMicros = tailMicros;
    this.out = out;
  }

  /** Notes left out so far, by rule. */
  public Map<String, Long> dropped() {
    return new LinkedHashMap<>(dropped);
  }

  /** Takes the next note. */
  public void add(NoteEvent note) {
    if (!note.startsNote()) {
      out.accept(note);
      return;
    }
    if (!note.kind().mayGiveWay()) {
      out.accept(note);
      return;
    }
    forget(note.micros());
    wanted.put(note.rule(), note.micros());
    String voice = note.kind() == NoteKind.MARK ? note.rule() : note.rule() + '\0' + note.node();
    Strikes own = strikes.computeIfAbsent(voice, added -> new Strikes());
    own.count(note.micros());
    if (!own.allows(note.micros()) || !fits(note)) {
      dropped.merge(note.rule(), 1L, Long::sum);
      return;
    }
    own.sounded.add(note.micros());
    recent.add(note.micros());
    recentOfRule.computeIfAbsent(note.rule(), added -> new Recent()).add(note.micros());
    voiceEnds.add(note.micros() + note.lengthMicros() + tailMicros.applyAsLong(note));
    out.accept(own.asRoll(note));
  }

  private void forget(long now) {
    while (!voiceEnds.isEmpty() && voiceEnds.peek() <= now) {
      voiceEnds.remove();
    }
    recent.forget(now);
    recentOfRule.values().removeIf(rule -> rule.forget(now) == 0);
    wanted.values().removeIf(micros -> micros <= now - SECOND);
  }

  private boolean fits(NoteEvent note) {
    int reserve = note.kind().reserve();
    int perSecond = MAX_PER_SECOND - ESSENTIAL_PER_SECOND - reserve;
    if (voiceEnds.size() >= MAX_VOICES - ESSENTIAL_VOICES - reserve || recent.size() >= perSecond) {
      return false;
    }
    Recent own = recentOfRule.get(note.rule());
    if (own == null) {
      return true;
    }
    int waiting = wanted.size() - recentOfRule.size();
    boolean many = recent.size() >= perSecond / 3;
    return recent.size() + waiting < perSecond && (!many || own.size() < perSecond / wanted.size());
  }

  /** The notes of the last second. */
  private static final class Recent {
    private final ArrayDeque<Long> times = new ArrayDeque<>();

    void add(long micros) {
      times.add(micros);
    }

    int forget(long now) {
      while (!times.isEmpty() && times.peek() <= now - SECOND) {
        times.remove();
      }
      return times.size();
    }

    int size() {
      return times.size();
    }
  }

  /** The rows of one rule, and what sounded of them. */
  private static final class Strikes {
    private static final int BUCKETS = 8;
    private static final long BUCKET_MICROS = SECOND / BUCKETS;

    final Recent sounded = new Recent();
    private final long[] rows = new long[BUCKETS];
    private long firstMicros = -1;
    private long bucket;

    /** Buckets begin with the first row, so that they do not depend on the soundscape's start. */
    void count(long micros) {
      sounded.forget(micros);
      firstMicros = firstMicros < 0 ? micros : firstMicros;
      long current = (micros - firstMicros) / BUCKET_MICROS;
      for (long stale = Math.max(bucket + 1, current - BUCKETS + 1); stale <= current; stale++) {
        rows[(int) (stale % BUCKETS)] = 0;
      }
      bucket = current;
      rows[(int) (current % BUCKETS)]++;
    }

    private long rowsPerSecond() {
      long sum = 0;
      for (long count : rows) {
        sum += count;
      }
      return sum;
    }

    private boolean rolls() {
      return rowsPerSecond() > MAX_PER_RULE;
    }

    boolean allows(long micros) {
      Long last = sounded.times.peekLast();
      boolean gap = !rolls() || last == null || micros - last >= ROLL_GAP_MICROS;
      return gap && sounded.size() < MAX_PER_RULE;
    }

    NoteEvent asRoll(NoteEvent note) {
      if (note.kind() != NoteKind.MARK || !rolls()) {
        return note;
      }
      long perSecond = rowsPerSecond();
      double velocity = ROLL_VELOCITY + 10 * Math.log10((double) perSecond);
      return note.asRoll((double) perSecond, (int) Math.min(MAX_VELOCITY, Math.round(velocity)));
    }
  }
}
