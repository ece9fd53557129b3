// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * All alarms of a soundscape. At most one pattern sounds at a time: of the alarms that fire the one
 * of highest priority, and of those the oldest. Not thread-safe.
 */
final class Alarms implements Voice {
  /*
   * Once a burst has begun it is sounded whole, unless its alarm is acknowledged or withdrawn. The
   * next pattern is chosen when it is due, so an alarm that fires during another's burst comes
   * right after it if it is more urgent, and stays silent otherwise.
   */

  /** Time between reminders of an alarm that is over and not acknowledged. */
  static final long REMINDER_MICROS = 30_000_000;

  /** Silence between two patterns. */
  private static final long GAP_MICROS = 500_000;

  private static final int FULL_VELOCITY = 116;

  /** The first burst is 6 dB softer and the second 3 dB, so that the start does not startle. */
  private static final int[] SOFTENED_DB = {6, 3};

  private final Map<String, Alarm> alarms = new LinkedHashMap<>();
  private final ArrayDeque<NoteEvent> pulses = new ArrayDeque<>();
  private String sounding = "";

  /** The time from which another alarm may be chosen; everything due before it has been emitted. */
  private long changedAt;

  private long patternEnd = Long.MIN_VALUE / 2;

  /** One rule and its state. */
  private static final class Alarm {
    final AlarmRule rule;
    RuleReading latest;
    boolean fires;
    boolean acknowledged = true;
    long since;
    int bursts;
    long nextPattern;

    Alarm(AlarmRule rule, RuleReading first) {
      this.rule = rule;
      this.latest = first;
    }

    boolean wantsToSound() {
      return !acknowledged;
    }
  }

  /** Alarms for these rules. */
  Alarms(Collection<AlarmRule> rules) {
    for (AlarmRule rule : rules) {
      RuleReading none =
          new RuleReading(0, 0, rule.name(), "", false, OptionalDouble.empty(), Origin.HISTORY);
      alarms.put(rule.name(), new Alarm(rule, none));
    }
  }

  /** Applies a reading; everything due before it must have been emitted. */
  void read(RuleReading reading) {
    Alarm alarm = alarm(reading.rule());
    alarm.latest = reading;
    changedAt = reading.micros();
    if (reading.truth() && !alarm.fires) {
      // All history carries the time at which the stream continues: it may end the alarm again.
      fire(alarm, reading.micros() + (reading.origin() == Origin.HISTORY ? 1 : 0));
    } else if (!reading.truth() && alarm.fires) {
      alarm.fires = false;
      alarm.nextPattern = reading.micros() + REMINDER_MICROS;
      if (reading.origin() == Origin.CORRECTION || reading.origin() == Origin.HISTORY) {
        silence(alarm);
      }
    }
  }

  private static void fire(Alarm alarm, long micros) {
    alarm.fires = true;
    alarm.since = micros;
    alarm.nextPattern = micros;
    if (alarm.acknowledged) {
      alarm.acknowledged = false;
      alarm.bursts = 0;
    }
  }

  /** Silences an alarm until it fires again. */
  void acknowledge(String rule, long micros) {
    changedAt = micros;
    silence(alarm(rule));
  }

  private void silence(Alarm alarm) {
    alarm.acknowledged = true;
    if (sounding.equals(alarm.rule.name())) {
      pulses.clear();
    }
  }

  private Alarm alarm(String rule) {
    Alarm alarm = alarms.get(rule);
    if (alarm == null) {
      throw new IllegalArgumentException("no alarm " + rule);
    }
    return alarm;
  }

  @Override
  public long nextMicros() {
    NoteEvent pulse = pulses.peek();
    return pulse != null ? pulse.micros() : patternMicros(chosen());
  }

  private long patternMicros(Optional<Alarm> alarm) {
    return alarm
        .map(found -> Math.max(Math.max(found.nextPattern, changedAt), patternEnd + GAP_MICROS))
        .orElse(NEVER);
  }

  /** The alarm to sound. Alarms that fire take precedence over those that are over. */
  private Optional<Alarm> chosen() {
    return alarms.values().stream()
        .filter(Alarm::wantsToSound)
        .min(
            Comparator.comparing((Alarm alarm) -> !alarm.fires)
                .thenComparing(alarm -> alarm.rule.priority(), Comparator.reverseOrder())
                .thenComparingLong(alarm -> alarm.since));
  }

  @Override
  public void advance(long micros, Consumer<NoteEvent> out) {
    for (long next = nextMicros(); next <= micros; next = nextMicros()) {
      if (pulses.isEmpty()) {
        begin(chosen().orElseThrow(), next);
      }
      out.accept(pulses.remove());
    }
  }

  private void begin(Alarm alarm, long micros) {
    AlarmRule rule = alarm.rule;
    AlarmPattern pattern =
        alarm.fires ? AlarmPattern.burst(rule.priority()) : AlarmPattern.REMINDER;
    int velocity = velocity(alarm);
    for (AlarmPattern.Pulse pulse : pattern.pulses()) {
      pulses.add(
          new NoteEvent(
              alarm.latest.hlc(),
              micros + pulse.micros(),
              rule.name(),
              Layer.ALARM,
              NoteKind.ALARM,
              alarm.latest.node(),
              0,
              rule.patch(),
              pulse.key(),
              velocity,
              pattern.pulseMicros(),
              0));
    }
    sounding = rule.name();
    patternEnd = micros + pattern.lengthMicros();
    alarm.nextPattern = micros + (alarm.fires ? rule.everyMicros() : REMINDER_MICROS);
    alarm.bursts++;
  }

  private static int velocity(Alarm alarm) {
    int softerDb = alarm.bursts < SOFTENED_DB.length ? SOFTENED_DB[alarm.bursts] : 0;
    return (int) Math.round(FULL_VELOCITY * Math.pow(10, -softerDb / 40.0));
  }
}
