// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.recordings.textlog.LogTime.Missing;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.temporal.IsoFields;
import java.util.Locale;
import java.util.Map;

/**
 * A scanner of times in all forms that logs usually have: ISO 8601, the calendar's names, epochs,
 * and forms of single systems. Used by one thread.
 */
final class TimeScanner {
  /** Two-digit years from here on are of the twentieth century. */
  private static final int FIRST_SHORT_YEAR = 70;

  private static final char NARROW_SPACE = '\u202F';
  private static final char FIXED_SPACE = '\u00A0';

  private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
  private static final String WEEKDAYS = "montuewedthufrisatsun";

  /** Abbreviations of zones that have one meaning; the values are hours. */
  private static final Map<String, Integer> ZONES =
      Map.ofEntries(
          Map.entry("Z", 0),
          Map.entry("UTC", 0),
          Map.entry("GMT", 0),
          Map.entry("UT", 0),
          Map.entry("WET", 0),
          Map.entry("WEST", 1),
          Map.entry("CET", 1),
          Map.entry("CEST", 2),
          Map.entry("EET", 2),
          Map.entry("EEST", 3),
          Map.entry("MSK", 3),
          Map.entry("EST", -5),
          Map.entry("EDT", -4),
          Map.entry("CDT", -5),
          Map.entry("MST", -7),
          Map.entry("MDT", -6),
          Map.entry("PST", -8),
          Map.entry("PDT", -7),
          Map.entry("JST", 9),
          Map.entry("KST", 9),
          Map.entry("AEST", 10),
          Map.entry("AEDT", 11),
          Map.entry("NZST", 12),
          Map.entry("NZDT", 13));

  private final LogTime time = new LogTime();

  /** A date and time up to its second, which the next lines often have too; empty if none is. */
  private String second = "";

  private final LogTime timeOfSecond = new LogTime();

  /** The time that is scanned, as it was at {@link #endOfSecond}; -1 if it has no second. */
  private final LogTime timeAtSecond = new LogTime();

  private int endOfSecond;

  private DateOrder order = DateOrder.YEAR_FIRST;
  private String in = "";

  /** The time that was scanned last; valid until the next scan. */
  LogTime time() {
    return time;
  }

  void order(DateOrder given) {
    order = given;
  }

  /**
   * Scans a time.
   *
   * @return the position after it; -1 if there is none at {@code from}
   */
  int scan(String text, int from) {
    in = text;
    time.clear();
    endOfSecond = -1;
    int end;
    char c = at(from);
    if (isDigit(c)) {
      end = numeric(from);
    } else if (Character.isLetter(c)) {
      end = named(from);
    } else {
      return -1;
    }
    return end >= 0 && time.isValid() ? end : -1;
  }

  private char at(int position) {
    return position < in.length() ? in.charAt(position) : '\0';
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private int digits(int from) {
    int end = from;
    while (isDigit(at(end))) {
      end++;
    }
    return end - from;
  }

  private int number(int from, int count) {
    int number = 0;
    for (int i = from; i < from + count; i++) {
      number = number * 10 + (in.charAt(i) - '0');
    }
    return number;
  }

  private int numeric(int from) {
    int count = digits(from);
    return switch (count) {
      case 1, 2 -> shortNumber(from, count);
      case 4 -> isInSecond(from) ? inSecond(from) : keepingSecond(from, year(from));
      case 6 -> shortDate(from);
      case 8 -> basicDate(from);
      case 10, 13, 16, 19 -> epoch(from, count);
      case 14 -> basicTime(from + 8, basicFields(from));
      default -> -1;
    };
  }

  private boolean isInSecond(int from) {
    return !second.isEmpty() && in.startsWith(second, from) && !isDigit(at(from + second.length()));
  }

  private int inSecond(int from) {
    time.copy(timeOfSecond);
    return afterSecond(from + second.length());
  }

  /** Keeps the second of a time that ends at a position, or at -1 if it is none. */
  private int keepingSecond(int from, int end) {
    if (end >= 0 && endOfSecond > 0) {
      second = in.substring(from, endOfSecond);
      timeOfSecond.copy(timeAtSecond);
    }
    return end;
  }

  /** A date whose year comes first, with four digits. */
  private int year(int from) {
    time.year = number(from, 4);
    char separator = at(from + 4);
    if (separator != '-' && separator != '/' && separator != '.') {
      return -1;
    }
    int at = from + 5;
    if (at(at) == 'W') {
      return week(at + 1);
    }
    int count = digits(at);
    if (count == 3) {
      return ordinal(at);
    }
    if (count < 1 || count > 2) {
      return Character.isLetter(at(at)) ? yearAndName(at, separator) : -1;
    }
    time.month = number(at, count);
    at += count;
    if (at(at) != separator) {
      return -1;
    }
    int days = digits(at + 1);
    if (days < 1 || days > 2) {
      return -1;
    }
    time.day = number(at + 1, days);
    return timeAfterDate(at + 1 + days);
  }

  /** A date such as 2026-Nov-20. */
  private int yearAndName(int from, char separator) {
    int end = month(from);
    if (end < 0 || at(end) != separator) {
      return -1;
    }
    int days = digits(end + 1);
    if (days < 1 || days > 2) {
      return -1;
    }
    time.day = number(end + 1, days);
    return timeAfterDate(end + 1 + days);
  }

  private int ordinal(int from) {
    return dated(from + 3, () -> LocalDate.ofYearDay(time.year, number(from, 3)));
  }

  private int week(int from) {
    if (digits(from) != 2 || at(from + 2) != '-' || digits(from + 3) != 1) {
      return -1;
    }
    return dated(
        from + 4,
        () ->
            LocalDate.of(time.year, 1, 4)
                .with(IsoFields.WEEK_OF_WEEK_BASED_YEAR, number(from, 2))
                .with(java.time.temporal.ChronoField.DAY_OF_WEEK, number(from + 3, 1)));
  }

  private int dated(int end, java.util.function.Supplier<LocalDate> found) {
    try {
      LocalDate date = found.get();
      time.year = date.getYear();
      time.month = date.getMonthValue();
      time.day = date.getDayOfMonth();
    } catch (DateTimeException e) {
      return -1;
    }
    return timeAfterDate(end);
  }

  private int timeAfterDate(int from) {
    int at = from;
    switch (at(at)) {
      case 'T', 't', '_' -> at++;
      case ' ', ',', '-', ':', NARROW_SPACE, FIXED_SPACE -> {
        at++;
        while (at(at) == ' ' || at(at) == NARROW_SPACE) {
          at++;
        }
        if (in.startsWith("at ", at)) {
          at += 3;
        }
      }
      default -> {
        return -1;
      }
    }
    return digits(at) == 6 ? basicTime(at, at) : clock(at);
  }

  private int basicFields(int from) {
    time.year = number(from, 4);
    time.month = number(from + 4, 2);
    time.day = number(from + 6, 2);
    return from;
  }

  private int basicDate(int from) {
    basicFields(from);
    return timeAfterDate(from + 8);
  }

  /** A date such as 261120, with a time that has colons or none. */
  private int shortDate(int from) {
    if (at(from + 6) != ' ') {
      return -1;
    }
    time.year = century(number(from, 2));
    time.month = number(from + 2, 2);
    time.day = number(from + 4, 2);
    return timeAfterDate(from + 6);
  }

  private static int century(int shortYear) {
    return shortYear < FIRST_SHORT_YEAR ? 2000 + shortYear : 1900 + shortYear;
  }

  /** Six digits of a time, with a fraction and a zone. */
  private int basicTime(int from, int checked) {
    if (checked < 0 || digits(from) < 6) {
      return -1;
    }
    time.hour = number(from, 2);
    time.minute = number(from + 2, 2);
    time.second = number(from + 4, 2);
    int end = from + 6;
    if (isDigit(at(end))) {
      return -1;
    }
    return zone(fraction(end));
  }

  private int epoch(int from, int count) {
    long whole = Long.parseLong(in, from, from + count, 10);
    int end = from + count;
    long scale =
        switch (count) {
          case 10 -> 1_000_000;
          case 13 -> 1_000;
          default -> 1;
        };
    time.isCount = true;
    time.micros = count == 19 ? whole / 1_000 : whole * scale;
    if ((at(end) == '.' || at(end) == ',') && isDigit(at(end + 1))) {
      end = fraction(end);
      time.micros += time.nanos * scale / 1_000_000_000;
      time.nanos = 0;
    }
    return Character.isLetter(at(end)) ? -1 : end;
  }

  /** A date or a time that begins with one or two digits. */
  private int shortNumber(int from, int count) {
    int first = number(from, count);
    int at = from + count;
    char separator = at(at);
    if (separator == ':') {
      time.missing = Missing.DATE;
      return hasSecondsOrHalf(from) ? clock(from) : -1;
    }
    if (separator == ' ' || separator == '-' || separator == '/') {
      int word = at + 1;
      if (Character.isLetter(at(word))) {
        return dayAndName(first, word, separator);
      }
    }
    if (separator != '/' && separator != '-' && separator != '.') {
      return -1;
    }
    int seconds = digits(at + 1);
    if (seconds < 1 || seconds > 2) {
      return -1;
    }
    return partsOfDate(first, number(at + 1, seconds), at + 1 + seconds, separator);
  }

  /** Whether a time without a date is one, such as 18:40:00 or 6:40PM, and not another text. */
  private boolean hasSecondsOrHalf(int from) {
    int at = from + digits(from);
    char next = at(at + 3);
    boolean isHalf = (next == 'A' || next == 'P') && at(at + 4) == 'M' && at(at + 5) == ' ';
    return digits(at + 1) == 2 && (isHalf || (next == ':' && digits(at + 4) >= 2));
  }

  private int partsOfDate(int first, int second, int from, char separator) {
    if (at(from) != separator) {
      // Android's 03-17 and Proxifier's 10.30 have no year.
      boolean dayFirst = first > 12;
      time.missing = Missing.YEAR;
      time.month = dayFirst ? second : first;
      time.day = dayFirst ? first : second;
      return at(from) == ' ' ? timeAfterDate(from) : -1;
    }
    int count = digits(from + 1);
    if (count != 2 && count != 4) {
      return -1;
    }
    int third = number(from + 1, count);
    boolean isShort = count == 2;
    boolean yearFirst = isShort && order == DateOrder.YEAR_FIRST && separator != '.';
    boolean dayFirst =
        separator != '/' ? order != DateOrder.MONTH_FIRST : order == DateOrder.DAY_FIRST;
    if (yearFirst) {
      date(century(first), second, third);
    } else {
      int year = isShort ? century(third) : third;
      time.isAmbiguous = separator == '/' && first <= 12 && second <= 12 && first != second;
      date(year, dayFirst ? second : first, dayFirst ? first : second);
    }
    return timeAfterDate(from + 1 + count);
  }

  private void date(int year, int month, int day) {
    time.year = year;
    time.month = month;
    time.day = day;
  }

  /** A date such as 20 Nov 2026, 20-Nov-26 or 20/Nov/2026:18:40:00. */
  private int dayAndName(int day, int from, char separator) {
    int at = month(from);
    if (at < 0) {
      return -1;
    }
    time.day = day;
    if (at(at) != separator && at(at) != ' ') {
      return -1;
    }
    int count = digits(at + 1);
    if (count == 4 || (count == 2 && at(at + 3) != ':')) {
      time.year = count == 4 ? number(at + 1, 4) : century(number(at + 1, 2));
      return timeAfterDate(at + 1 + count);
    }
    time.missing = Missing.YEAR;
    return timeAfterDate(at);
  }

  /** A date that begins with the name of a weekday or a month. */
  private int named(int from) {
    int end = endOfWord(from);
    int at = from;
    if (indexIn(WEEKDAYS, from) >= 0 && end - from >= 3 && month(from) < 0) {
      at = end;
      at += at(at) == ',' ? 1 : 0;
      at = skipSpaces(at);
      if (at == end) {
        return -1;
      }
      if (isDigit(at(at))) {
        int count = digits(at);
        return count <= 2 && at(at + count) != ':' ? shortNumber(at, count) : year(at);
      }
    }
    int next = month(at);
    if (next < 0) {
      return -1;
    }
    int day = skipSpaces(next);
    int count = digits(day);
    if (day == next || count < 1 || count > 2) {
      return -1;
    }
    time.day = number(day, count);
    return afterNamedDay(day + count);
  }

  private int afterNamedDay(int from) {
    int at = from + (at(from) == ',' ? 1 : 0);
    at = skipSpaces(at);
    if (at == from) {
      return -1;
    }
    if (digits(at) == 4) {
      time.year = number(at, 4);
      return timeAfterDate(at + 4);
    }
    time.missing = Missing.YEAR;
    int end = clock(at);
    if (end < 0) {
      return -1;
    }
    int year = skipSpaces(end);
    boolean isYear = year > end && digits(year) == 4 && !isNamePart(at(year + 4));
    if (isYear && number(year, 4) >= 1970 && number(year, 4) < 2200) {
      time.year = number(year, 4);
      time.missing = Missing.NOTHING;
      return zone(year + 4);
    }
    return end;
  }

  private static boolean isNamePart(char c) {
    return Character.isLetterOrDigit(c) || c == '.' || c == '-' || c == ':' || c == '/';
  }

  private int skipSpaces(int from) {
    int at = from;
    while (at(at) == ' ') {
      at++;
    }
    return at;
  }

  private int endOfWord(int from) {
    int end = from;
    while (Character.isLetter(at(end))) {
      end++;
    }
    return end;
  }

  /** The index of three letters in a list of such, in any case; -1 if they are not in it. */
  private int indexIn(String list, int from) {
    if (from + 3 > in.length()) {
      return -1;
    }
    char first = Character.toLowerCase(in.charAt(from));
    for (int i = 0; i < list.length(); i += 3) {
      if (list.charAt(i) == first && in.regionMatches(true, from, list, i, 3)) {
        return i / 3;
      }
    }
    return -1;
  }

  /** Scans the name of a month; returns the position after it, and after a point; or -1. */
  private int month(int from) {
    int index = indexIn(MONTHS, from);
    if (index < 0) {
      return -1;
    }
    time.month = index + 1;
    int end = endOfWord(from);
    return at(end) == '.' ? end + 1 : end;
  }

  /** A time of day with colons or points, a fraction, AM or PM, and a zone. */
  private int clock(int from) {
    int hours = digits(from);
    char separator = at(from + hours);
    boolean isPoint = separator == '.' && digits(from + hours + 1) == 2;
    if (hours < 1 || hours > 2 || (separator != ':' && !isPoint)) {
      return -1;
    }
    time.hour = number(from, hours);
    int at = from + hours + 1;
    int minutes = digits(at);
    if (minutes < 1 || minutes > 2) {
      return -1;
    }
    time.minute = number(at, minutes);
    at += minutes;
    int seconds = at(at) == separator ? digits(at + 1) : 0;
    if (seconds == 1 || seconds == 2) {
      time.second = number(at + 1, seconds);
      endOfSecond = at + 1 + seconds;
      timeAtSecond.copy(time);
      return afterSecond(endOfSecond);
    }
    return isPoint ? -1 : halfAndZone(at);
  }

  private int afterSecond(int from) {
    return halfAndZone(fraction(from));
  }

  private int halfAndZone(int from) {
    int end = half(from);
    return end < 0 ? -1 : zone(end);
  }

  /** A fraction after a point, a comma, or a colon that three digits follow. */
  private int fraction(int from) {
    char c = at(from);
    int count = c == '.' || c == ',' || c == ':' ? digits(from + 1) : 0;
    if (count == 0 || (c == ':' && (count > 3 || at(from + 1 + count) == ':'))) {
      return from;
    }
    int nanos = 0;
    for (int i = 0; i < 9; i++) {
      nanos = nanos * 10 + (i < count ? in.charAt(from + 1 + i) - '0' : 0);
    }
    time.nanos = c == ':' ? number(from + 1, count) * 1_000_000 : nanos;
    return from + 1 + count;
  }

  /** AM or PM; -1 if the hour is none of twelve. */
  private int half(int from) {
    int at = from;
    if (at(at) == ' ' || at(at) == NARROW_SPACE || at(at) == FIXED_SPACE) {
      at++;
    }
    char c = Character.toUpperCase(at(at));
    boolean isHalf =
        (c == 'A' || c == 'P')
            && Character.toUpperCase(at(at + 1)) == 'M'
            && !Character.isLetterOrDigit(at(at + 2));
    if (!isHalf) {
      return from;
    }
    if (time.hour < 1 || time.hour > 12) {
      return -1;
    }
    time.hour = time.hour % 12 + (c == 'P' ? 12 : 0);
    return at + 2;
  }

  /** A zone, if there is one; returns the position after it. */
  private int zone(int from) {
    char c = at(from);
    if (c == 'Z' && !Character.isLetterOrDigit(at(from + 1))) {
      time.offsetSeconds = 0;
      return from + 1;
    }
    if (c == '+' || c == '-') {
      return bracketedName(offset(from, false));
    }
    if (c != ' ') {
      return from;
    }
    char next = at(from + 1);
    if (next == '+' || next == '-') {
      int end = offset(from + 1, true);
      return end == from + 1 ? from : end;
    }
    return next >= 'A' && next <= 'Z' ? abbreviation(from) : from;
  }

  private int abbreviation(int from) {
    int end = endOfWord(from + 1);
    int length = end - from - 1;
    if (length < 1 || length > 4 || Character.isLetterOrDigit(at(end))) {
      return from;
    }
    Integer hours = ZONES.get(in.substring(from + 1, end));
    if (hours == null) {
      return from;
    }
    if ((at(end) == '+' || at(end) == '-') && isDigit(at(end + 1))) {
      return offset(end, false);
    }
    time.offsetSeconds = hours * 3_600;
    return end;
  }

  /** An offset such as +01, +0100 or +01:00; after a space it must have minutes. */
  private int offset(int from, boolean afterSpace) {
    int count = digits(from + 1);
    int hours;
    int minutes = 0;
    int end;
    if (count == 2 && at(from + 3) == ':' && digits(from + 4) == 2) {
      hours = number(from + 1, 2);
      minutes = number(from + 4, 2);
      end = from + 6;
    } else if (count == 4) {
      hours = number(from + 1, 2);
      minutes = number(from + 3, 2);
      end = from + 5;
    } else if (count == 2 && !afterSpace && at(from + 3) != '-' && at(from + 3) != '.') {
      hours = number(from + 1, 2);
      end = from + 3;
    } else {
      return from;
    }
    if (hours > 18 || minutes > 59 || Character.isLetterOrDigit(at(end))) {
      return from;
    }
    int seconds = hours * 3_600 + minutes * 60;
    time.offsetSeconds = in.charAt(from) == '-' ? -seconds : seconds;
    return end;
  }

  /** Skips a zone's name in brackets, as Java prints it after the offset. */
  private int bracketedName(int from) {
    if (at(from) != '[') {
      return from;
    }
    int end = in.indexOf(']', from);
    boolean isName =
        end > 0
            && end - from < 40
            && in.substring(from, end).contains("/")
            && Character.isUpperCase(at(from + 1));
    return isName ? end + 1 : from;
  }

  /** The number of a month by its name or abbreviation; 0 if it is none. */
  static int monthOf(String name) {
    int at = name.length() < 3 ? -1 : MONTHS.indexOf(name.substring(0, 3).toLowerCase(Locale.ROOT));
    return at >= 0 && at % 3 == 0 ? at / 3 + 1 : 0;
  }
}
