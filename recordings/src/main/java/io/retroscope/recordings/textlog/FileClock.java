// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.recordings.textlog.LogTime.Missing;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * The instants of the times of one file, in the order of its lines. Used by one thread.
 *
 * <p>A missing year or date follows from the time at which the file was last changed, and from the
 * number of times at which the calendar or the clock starts again: see {@link Survey}.
 */
final class FileClock {
  private static final long SECONDS_PER_DAY = 86_400;

  /** A time that is lower by more than this begins another year, or another day. */
  private static final long YEAR_TURN_SECONDS = 180 * SECONDS_PER_DAY;

  private static final long DAY_TURN_SECONDS = SECONDS_PER_DAY / 2;

  /** How late a line of the day before may be. */
  private static final long LATE_SECONDS = 300;

  /** A file may be copied to a machine whose clock is slow. */
  private static final long SLACK_SECONDS = 3_600;

  /** A leap year, in which each day of a year without a number exists. */
  private static final int ANY_YEAR = 2000;

  private static final long LEAP_DAY = LogTime.daysFromEpoch(ANY_YEAR, 2, 29);

  private final ZoneId zone;
  private final ZoneRules rules;
  private final Anchor anchor;
  private long turns;
  private long previousKey = Long.MIN_VALUE;

  /** The local seconds within which one offset holds. */
  private long offsetFrom = Long.MAX_VALUE;

  private long offsetTo = Long.MIN_VALUE;
  private long offset;

  private long previousMicros = Long.MIN_VALUE;
  private Optional<LocalDateTime> overlap = Optional.empty();

  /**
   * How the missing part of the file's times follows.
   *
   * @param lastMicros the time at which the file was last changed, or the present time
   * @param turns how often the calendar starts again within the file
   * @param lastKey the known part of the last time, in seconds, or micros of a {@link
   *     Missing#START}
   */
  record Anchor(long lastMicros, long turns, long lastKey) {
    static final Anchor NONE = new Anchor(0, 0, 0);
  }

  FileClock(ZoneId zone, Anchor anchor) {
    this.zone = zone;
    this.rules = zone.getRules();
    this.anchor = anchor;
  }

  /** A count of what the times of a file leave out. */
  static final class Survey {
    private long turns;
    private long lastKey = Long.MIN_VALUE;

    void add(LogTime time) {
      if (time.missing == Missing.NOTHING) {
        return;
      }
      long key = key(time);
      turns += turn(time.missing, lastKey, key);
      lastKey = key;
    }

    Anchor anchor(long lastMicros) {
      return new Anchor(lastMicros, turns, lastKey);
    }
  }

  private static long key(LogTime time) {
    return switch (time.missing) {
      case START -> time.micros;
      case DATE -> time.secondsOfDay();
      case NOTHING, YEAR -> time.localSeconds(ANY_YEAR);
    };
  }

  /** 1 if a year or a day begins with a time, -1 if a line of the one before is late, else 0. */
  private static int turn(Missing missing, long previous, long key) {
    if (missing == Missing.START || previous == Long.MIN_VALUE) {
      return 0;
    }
    boolean isDay = missing == Missing.DATE;
    if (key < previous - (isDay ? DAY_TURN_SECONDS : YEAR_TURN_SECONDS)) {
      return 1;
    }
    long period = isDay ? SECONDS_PER_DAY : 366 * SECONDS_PER_DAY;
    return previous + period - key < (isDay ? LATE_SECONDS : SECONDS_PER_DAY) ? -1 : 0;
  }

  /** The instant of the next time of the file, in microseconds since 1970. */
  long micros(LogTime time) {
    long micros;
    if (time.isCount) {
      micros = time.missing == Missing.START ? sinceStart(time) : time.micros;
    } else {
      micros = micros(time, localSeconds(time)) + time.nanos / 1_000;
    }
    previousMicros = micros;
    return micros;
  }

  private long sinceStart(LogTime time) {
    return anchor.lastMicros - anchor.lastKey + time.micros;
  }

  private long localSeconds(LogTime time) {
    if (time.missing == Missing.NOTHING) {
      return time.localSeconds(time.year);
    }
    long key = key(time);
    turns += turn(time.missing, previousKey, key);
    previousKey = key;
    return time.missing == Missing.YEAR
        ? time.localSeconds(yearOf(key, turns))
        : firstDay() * SECONDS_PER_DAY + turns * SECONDS_PER_DAY + time.secondsOfDay();
  }

  private LocalDateTime lastChange() {
    long seconds = Math.floorDiv(anchor.lastMicros, 1_000_000L) + SLACK_SECONDS;
    return LocalDateTime.ofInstant(Instant.ofEpochSecond(seconds), zone);
  }

  /** The year of a time after so many turns, in which its day exists. */
  private int yearOf(long key, long turns) {
    int year = (int) (lastYear() - anchor.turns + turns);
    boolean isLeapDay = Math.floorDiv(key, SECONDS_PER_DAY) == LEAP_DAY;
    while (isLeapDay && !LogTime.isLeap(year)) {
      year--;
    }
    return year;
  }

  private int lastYear() {
    LocalDateTime last = lastChange();
    long lastOfYear =
        LogTime.daysFromEpoch(ANY_YEAR, last.getMonthValue(), last.getDayOfMonth())
                * SECONDS_PER_DAY
            + last.toLocalTime().toSecondOfDay();
    return last.getYear() - (anchor.lastKey > lastOfYear ? 1 : 0);
  }

  private long firstDay() {
    return lastDay().toEpochDay() - anchor.turns;
  }

  private LocalDate lastDay() {
    LocalDateTime last = lastChange();
    boolean isOfDayBefore = anchor.lastKey > last.toLocalTime().toSecondOfDay();
    return last.toLocalDate().minusDays(isOfDayBefore ? 1 : 0);
  }

  /** The year, day or instant of the file's last time, of which this part is assumed. */
  String assumed(Missing part) {
    return switch (part) {
      case NOTHING -> "";
      case YEAR -> Integer.toString(yearOf(anchor.lastKey, anchor.turns));
      case DATE -> lastDay().toString();
      case START -> Instant.EPOCH.plus(anchor.lastMicros, ChronoUnit.MICROS).toString();
    };
  }

  private long micros(LogTime time, long localSeconds) {
    long seconds =
        time.offsetSeconds != LogTime.NO_OFFSET
            ? localSeconds - time.offsetSeconds
            : localSeconds - offset(localSeconds);
    return Math.multiplyExact(seconds, 1_000_000L);
  }

  private long offset(long localSeconds) {
    if (localSeconds >= offsetFrom && localSeconds < offsetTo) {
      return offset;
    }
    try {
      return lookUp(localSeconds);
    } catch (DateTimeException e) {
      return rules.getOffset(Instant.EPOCH).getTotalSeconds(); // a year that no calendar has
    }
  }

  private long lookUp(long localSeconds) {
    LocalDateTime local = LocalDateTime.ofEpochSecond(localSeconds, 0, ZoneOffset.UTC);
    ZoneOffsetTransition transition = rules.getTransition(local);
    if (transition != null && transition.isOverlap()) {
      overlap = Optional.of(transition.getDateTimeAfter());
      return overlapping(localSeconds, transition);
    }
    if (transition != null) {
      return transition.getOffsetBefore().getTotalSeconds();
    }
    ZoneOffset found = rules.getOffset(local);
    offset = found.getTotalSeconds();
    // The next day and the previous one may have a transition; in between there is none.
    Instant instant = local.toInstant(found);
    ZoneOffsetTransition next = rules.nextTransition(instant);
    ZoneOffsetTransition before = rules.previousTransition(instant);
    offsetFrom = before == null ? Long.MIN_VALUE : last(before);
    offsetTo = next == null ? Long.MAX_VALUE : first(next);
    return offset;
  }

  private static long first(ZoneOffsetTransition transition) {
    return Math.min(local(transition.getDateTimeBefore()), local(transition.getDateTimeAfter()));
  }

  private static long last(ZoneOffsetTransition transition) {
    return Math.max(local(transition.getDateTimeBefore()), local(transition.getDateTimeAfter()));
  }

  private static long local(LocalDateTime time) {
    return time.toEpochSecond(ZoneOffset.UTC);
  }

  /**
   * The offset within the hour that a clock shows twice: the first one, unless the file's previous
   * time is later than that by half of the hour or more.
   */
  private long overlapping(long localSeconds, ZoneOffsetTransition transition) {
    long first = transition.getOffsetBefore().getTotalSeconds();
    long second = transition.getOffsetAfter().getTotalSeconds();
    long firstMicros = (localSeconds - first) * 1_000_000;
    boolean isSecond =
        previousMicros != Long.MIN_VALUE
            && previousMicros - firstMicros > (first - second) * 1_000_000 / 2;
    return isSecond ? second : first;
  }

  /** The local time at which a clock was set back, if a time without a zone was near it. */
  Optional<LocalDateTime> overlap() {
    return overlap;
  }
}
