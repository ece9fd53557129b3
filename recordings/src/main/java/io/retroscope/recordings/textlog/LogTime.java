// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

/** The fields of a time as a line has them. Mutable; used by one thread. */
final class LogTime {
  /** The value of {@link #offsetSeconds} if the line has no zone. */
  static final int NO_OFFSET = Integer.MIN_VALUE;

  /** What a time leaves out, so that it must follow from the file. */
  enum Missing {
    NOTHING("are complete"),
    /** It has a month and a day. */
    YEAR("have no year"),
    /** It has an hour, a minute and a second. */
    DATE("have no date"),
    /** It counts from the start of a process. */
    START("count from a start");

    private final String phrase;

    Missing(String phrase) {
      this.phrase = phrase;
    }

    /** What such times do, after "its times". */
    String phrase() {
      return phrase;
    }
  }

  int year;
  int month;
  int day;
  int hour;
  int minute;
  int second;
  int nanos;
  int offsetSeconds;
  Missing missing = Missing.NOTHING;

  /** Whether {@link #micros} is the time since the epoch, or since the start, instead of fields. */
  boolean isCount;

  long micros;

  /** Whether day and month could also be exchanged. */
  boolean isAmbiguous;

  void clear() {
    year = 0;
    month = 1;
    day = 1;
    hour = 0;
    minute = 0;
    second = 0;
    nanos = 0;
    offsetSeconds = NO_OFFSET;
    missing = Missing.NOTHING;
    isCount = false;
    micros = 0;
    isAmbiguous = false;
  }

  /** Takes the fields of another time. */
  void copy(LogTime other) {
    year = other.year;
    month = other.month;
    day = other.day;
    hour = other.hour;
    minute = other.minute;
    second = other.second;
    nanos = other.nanos;
    offsetSeconds = other.offsetSeconds;
    missing = other.missing;
    isCount = other.isCount;
    micros = other.micros;
    isAmbiguous = other.isAmbiguous;
  }

  /** Whether all fields are within their ranges; 24:00 and a leap second are. */
  boolean isValid() {
    if (isCount) {
      return true;
    }
    boolean isEndOfDay = hour == 24 && minute == 0 && second == 0 && nanos == 0;
    return month >= 1
        && month <= 12
        && day >= 1
        && day <= daysOfMonth()
        && (hour < 24 || isEndOfDay)
        && minute < 60
        && second <= 60;
  }

  private int daysOfMonth() {
    return switch (month) {
      case 2 -> missing == Missing.NOTHING && !isLeap(year) ? 28 : 29;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  static boolean isLeap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  /** The number of seconds of the local date and time since 1970, in a given year. */
  long localSeconds(int inYear) {
    return daysFromEpoch(inYear, month, day) * 86_400 + secondsOfDay();
  }

  long secondsOfDay() {
    return hour * 3_600L + minute * 60L + second;
  }

  /** The days since 1970-01-01 in the proleptic Gregorian calendar. */
  static long daysFromEpoch(int year, int month, int day) {
    // Years begin in March, so that the leap day is the last one.
    long y = month <= 2 ? year - 1L : year;
    long era = Math.floorDiv(y, 400);
    long yearOfEra = y - era * 400;
    long dayOfYear = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146_097 + dayOfEra - 719_468;
  }
}
