// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.print.ValueText;
import io.retroscope.sonify.soundscape.AlarmRule;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.Origin;
import io.retroscope.sonify.soundscape.RuleReading;
import io.retroscope.sonify.soundscape.SoundRules;
import io.retroscope.sonify.soundscape.Soundscape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The sound of a server's alerts: an alarm until each is acknowledged, more urgent for the severity
 * {@code page}, and the loss of the server while it does not evaluate them. Thread-safe.
 */
public final class AlertSounds {
  private static final String URGENT_SEVERITY = "page";
  private static final String URGENT = "page";
  private static final String OTHER = "other";
  private static final String PATCH = "alarm";

  /** The states of an alert with an episode. */
  private static final Set<String> EPISODES = Set.of("firing", "recovering");

  private final Soundscape soundscape;

  /** The stamp of notes, which belong to states and not to cuts. */
  private static final long NO_CUT = HlcTimestamp.MIN_PACKED;

  private final LongSupplier micros;

  /** The alarms that sound. */
  private final Set<String> sounding = new HashSet<>();

  private List<Firing> firing = List.of();

  /** The health of each alert that is not "ok", by the alert's name. */
  private Map<String, String> unwell = Map.of();

  /** The alert whose turn it is, by its episode; empty for the first one. */
  private String chosen = "";

  private boolean isLost;

  /**
   * An alert that fires, and sounds.
   *
   * @param item of FOR EACH; empty without it
   */
  public record Firing(
      String alert,
      String item,
      String severity,
      String episode,
      boolean acknowledged,
      boolean muted) {
    boolean sounds() {
      return !acknowledged && !muted;
    }

    boolean isUrgent() {
      return severity.equals(URGENT_SEVERITY);
    }

    /** The stamp of its rise, with which the identity of an episode ends. */
    String stamp() {
      return episode.substring(episode.lastIndexOf('@') + 1);
    }

    /** The time of its rise, in UTC and whole seconds; empty if the server names none. */
    Optional<String> since() {
      try {
        long micros = HlcTimestamp.micros(HlcTimestamp.parse(stamp()));
        return Optional.of(
            Instant.ofEpochSecond(TimeUnit.MICROSECONDS.toSeconds(micros)).toString());
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }
  }

  /**
   * Silence, before the first states.
   *
   * @param micros a clock since the begin
   */
  public AlertSounds(boolean heartbeat, LongSupplier micros, Consumer<NoteEvent> out) {
    this.micros = micros;
    this.soundscape =
        new Soundscape(
            new SoundRules(
                List.of(),
                List.of(),
                List.of(
                    alarm(URGENT, AlarmRule.Priority.HIGH),
                    alarm(OTHER, AlarmRule.Priority.MEDIUM)),
                heartbeat),
            List.of(),
            out);
  }

  private static AlarmRule alarm(String name, AlarmRule.Priority priority) {
    return new AlarmRule(name, PATCH, priority, AlarmRule.DEFAULT_EVERY_MICROS);
  }

  /** Sounds what is due; to be called every few milliseconds. */
  public synchronized void advance() {
    soundscape.advance(micros.getAsLong());
  }

  /**
   * Takes the states of all alerts, as the server lists them.
   *
   * @return whether anything has changed
   */
  public synchronized boolean states(List<StructValue> alerts) {
    List<Firing> next = new ArrayList<>();
    Map<String, String> doubts = new TreeMap<>();
    for (StructValue alert : alerts) {
      Firing state = state(alert);
      String health = text(alert, "health");
      if (!health.equals("ok")) {
        doubts.put(state.alert(), health);
      }
      if (EPISODES.contains(text(alert, "state"))) {
        next.add(state);
      }
    }
    next.sort(
        Comparator.comparing((Firing one) -> !one.sounds())
            .thenComparing(one -> !one.isUrgent())
            .thenComparing(Firing::stamp)
            .thenComparing(Firing::episode));
    boolean isNews = !next.equals(firing) || !doubts.equals(unwell);
    firing = next;
    unwell = doubts;
    sound(URGENT, next.stream().filter(Firing::isUrgent).toList());
    sound(OTHER, next.stream().filter(one -> !one.isUrgent()).toList());
    boolean isBehind = doubts.values().stream().anyMatch(AlertSounds::isNotEvaluated);
    return setLost(isBehind) || isNews;
  }

  /** Whether the evaluation is behind by a lag that the server names, or does not proceed. */
  private static boolean isNotEvaluated(String health) {
    return health.startsWith("stalled")
        || health.startsWith("error")
        || health.startsWith("catching up:");
  }

  private void sound(String rule, List<Firing> all) {
    boolean isLoud = all.stream().anyMatch(Firing::sounds);
    if (isLoud && sounding.add(rule)) {
      read(rule, true);
    } else if (!isLoud && sounding.remove(rule)) {
      read(rule, false);
      if (!all.isEmpty()) {
        // Somebody looks after all that fires; what ended by itself leaves a reminder.
        soundscape.acknowledge(rule, micros.getAsLong());
      }
    }
  }

  private void read(String rule, boolean truth) {
    long now = micros.getAsLong();
    soundscape.advance(now);
    soundscape.read(
        new RuleReading(NO_CUT, now, rule, "", truth, OptionalDouble.empty(), Origin.LIVE));
  }

  /** The server cannot be reached, or does not evaluate: silence would mean nothing. */
  public synchronized boolean lose() {
    return setLost(true);
  }

  private boolean setLost(boolean lost) {
    if (lost == isLost) {
      return false;
    }
    isLost = lost;
    if (lost) {
      soundscape.lose(NO_CUT, micros.getAsLong());
    } else {
      soundscape.regain(NO_CUT, micros.getAsLong());
    }
    return true;
  }

  /** Whether the server does not evaluate. */
  public synchronized boolean isLost() {
    return isLost;
  }

  /** Silences the reminders of what is over. */
  public synchronized void silenceReminders() {
    for (String rule : List.of(URGENT, OTHER)) {
      if (!sounding.contains(rule)) {
        soundscape.acknowledge(rule, micros.getAsLong());
      }
    }
  }

  /** What fires, the loudest first. */
  public synchronized List<Firing> firing() {
    return firing;
  }

  /** The health of each alert that is not "ok", by the alert's name. */
  public synchronized Map<String, String> unwell() {
    return unwell;
  }

  /** The alert that the keys apply to; empty if nothing sounds. */
  public synchronized Optional<Firing> chosen() {
    List<Firing> loud = firing.stream().filter(Firing::sounds).toList();
    return loud.stream()
        .filter(one -> one.episode().equals(chosen))
        .findFirst()
        .or(() -> loud.stream().findFirst());
  }

  /** Applies the keys to the next alert that sounds. */
  public synchronized void next() {
    List<Firing> loud = firing.stream().filter(Firing::sounds).toList();
    chosen().ifPresent(one -> chosen = loud.get((loud.indexOf(one) + 1) % loud.size()).episode());
  }

  private static Firing state(StructValue alert) {
    return new Firing(
        text(alert, "alert"),
        text(alert, "item"),
        text(alert, "severity"),
        text(alert, "episode"),
        !text(alert, "acknowledgedBy").isEmpty(),
        !text(alert, "mutedUntil").isEmpty());
  }

  private static String text(StructValue object, String name) {
    Value value = object.fields().getOrDefault(name, NullValue.NULL);
    return value instanceof StringValue text ? ValueText.printable(text.value()) : "";
  }
}
