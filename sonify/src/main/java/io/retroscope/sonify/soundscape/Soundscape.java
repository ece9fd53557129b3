// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The note events of a set of rules: a pure function of its inputs, independent of the pieces in
 * which time advances. Not thread-safe.
 *
 * <p>Times are microseconds of played time since the soundscape began. A time before an earlier
 * input's counts as that one.
 */
public final class Soundscape {
  /*
   * Everything that is due before an input is emitted before the input is taken; notes of one call
   * are ordered by time, then by layer and rule. The next due time of all voices is kept, so that
   * an input costs nothing for voices that wait.
   */

  private static final Comparator<NoteEvent> ORDER =
      Comparator.comparingLong(NoteEvent::micros)
          .thenComparing(NoteEvent::layer)
          .thenComparing(NoteEvent::rule)
          .thenComparing(NoteEvent::node);

  private static final String CAUGHT_UP_PATCH = "flute";
  private static final int CAUGHT_UP_KEY = 60;
  private static final int CAUGHT_UP_VELOCITY = 58;
  private static final long CAUGHT_UP_LENGTH_MICROS = 200_000;

  private final Map<String, LevelRule> levels;
  private final Map<String, BackgroundRule> backgroundRules;
  private final Map<String, Map<String, Staircase>> staircases = new HashMap<>();
  private final Map<String, Background> backgrounds = new LinkedHashMap<>();
  private final Alarms alarms;
  private final Presence presence;
  private final Places places;
  private final List<Voice> voices = new ArrayList<>();
  private final Consumer<NoteEvent> out;
  private long now;
  private long nextDue;

  /**
   * A soundscape that begins.
   *
   * @param rules with state
   * @param nodes known at the start; each gets a place
   * @param out takes the notes in order of time
   */
  public Soundscape(SoundRules rules, Collection<String> nodes, Consumer<NoteEvent> out) {
    this.out = out;
    levels = rules.levels().stream().collect(Collectors.toMap(LevelRule::name, rule -> rule));
    backgroundRules =
        rules.backgrounds().stream().collect(Collectors.toMap(BackgroundRule::name, rule -> rule));
    places = new Places(nodes);
    alarms = new Alarms(rules.alarms());
    presence = new Presence(rules.heartbeat());
    voices.add(alarms);
    voices.add(presence);
    nextDue = next();
  }

  /** The places of the nodes, for a legend. */
  public Places places() {
    return places;
  }

  /**
   * Takes a reading of a rule with LEVEL, AS BACKGROUND or AS ALARM.
   *
   * @throws IllegalArgumentException if no such rule is known
   */
  public void read(RuleReading reading) {
    RuleReading timed = reading.with(advancedTo(reading.micros()), reading.origin());
    if (levels.containsKey(timed.rule())) {
      staircase(timed.rule(), timed.node()).read(timed);
    } else if (backgroundRules.containsKey(timed.rule())) {
      background(timed).read(timed);
    } else {
      alarms.read(timed);
    }
    emitDue();
  }

  private Staircase staircase(String name, String node) {
    Map<String, Staircase> nodes = staircases.computeIfAbsent(name, added -> new HashMap<>());
    Staircase known = nodes.get(node);
    LevelRule rule = levels.get(name);
    if (known != null || rule == null) {
      return Objects.requireNonNull(known);
    }
    Staircase added = new Staircase(rule, node, rule.placed() ? places.of(node) : Place.MIDDLE);
    nodes.put(node, added);
    voices.add(added);
    return added;
  }

  private Background background(RuleReading first) {
    return backgrounds.computeIfAbsent(
        first.rule(),
        name -> {
          BackgroundRule rule = backgroundRules.get(name);
          Background added = new Background(Objects.requireNonNull(rule), first);
          voices.add(added);
          return added;
        });
  }

  /** Takes a row of a rule without state; it sounds if it is live. */
  public void mark(Mark mark) {
    long micros = advancedTo(mark.micros());
    if (mark.origin() != Origin.LIVE) {
      return;
    }
    out.accept(
        new NoteEvent(
            mark.hlc(),
            micros,
            mark.rule(),
            Layer.MARK,
            NoteKind.MARK,
            mark.node(),
            0,
            mark.patch(),
            mark.key(),
            mark.velocity(),
            mark.lengthMicros(),
            mark.pan()));
  }

  /** History has been applied: one soft note, if there was any. */
  public void caughtUp(long hlc, long micros, long rowCount) {
    long at = advancedTo(micros);
    if (rowCount > 0) {
      out.accept(
          new NoteEvent(
              hlc,
              at,
              Presence.RULE,
              Layer.MARK,
              NoteKind.CAUGHT_UP,
              "",
              rowCount,
              CAUGHT_UP_PATCH,
              CAUGHT_UP_KEY,
              CAUGHT_UP_VELOCITY,
              CAUGHT_UP_LENGTH_MICROS,
              0));
    }
  }

  /**
   * Silences an alarm until it fires again.
   *
   * @throws IllegalArgumentException if there is no such alarm
   */
  public void acknowledge(String rule, long micros) {
    alarms.acknowledge(rule, advancedTo(micros));
    emitDue();
  }

  /** The server, or the last node, is gone; repeated until {@link #regain}. */
  public void lose(long hlc, long micros) {
    long at = advancedTo(micros);
    if (!presence.isLost()) {
      presence.lose(hlc, at);
      backgrounds.values().forEach(background -> background.lose(at));
      staircases.values().forEach(nodes -> nodes.values().forEach(stairs -> stairs.lose(at)));
      nextDue = next();
    }
  }

  /** The server is back. */
  public void regain(long hlc, long micros) {
    long at = advancedTo(micros);
    if (presence.isLost()) {
      presence.regain(hlc, at, out);
      nextDue = next();
    }
  }

  /** Emits everything that is due up to and at this time. */
  public void advance(long micros) {
    advancedTo(micros);
  }

  /** The number of notes of staircases dropped because too many waited. */
  public long droppedCount() {
    return staircases.values().stream()
        .flatMap(nodes -> nodes.values().stream())
        .mapToLong(Staircase::droppedCount)
        .sum();
  }

  private long advancedTo(long micros) {
    now = Math.max(now, micros);
    if (nextDue <= now) {
      emitDue();
    }
    return now;
  }

  private void emitDue() {
    List<NoteEvent> due = new ArrayList<>();
    voices.forEach(voice -> voice.advance(now, due::add));
    due.sort(ORDER);
    due.forEach(out);
    nextDue = next();
  }

  private long next() {
    long next = Voice.NEVER;
    for (Voice voice : voices) {
      next = Math.min(next, voice.nextMicros());
    }
    return next;
  }
}
