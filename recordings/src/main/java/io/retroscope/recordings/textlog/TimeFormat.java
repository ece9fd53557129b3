// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.recordings.textlog.LogTime.Missing;

/**
 * The form of a time in the conversions of {@code strptime}, with those that lnav adds. Immutable.
 */
final class TimeFormat {
  private static final String CONVERSIONS = "YymdejHIklMSfLNpzZsi6bBhaATDFRq9%";

  private final String format;
  private final boolean hasYear;
  private final boolean hasDate;

  /**
   * A form.
   *
   * @throws IllegalArgumentException if a conversion is not known
   */
  TimeFormat(String format) {
    for (int i = format.indexOf('%'); i >= 0; i = format.indexOf('%', i + 2)) {
      char conversion = i + 1 < format.length() ? format.charAt(i + 1) : ' ';
      if (CONVERSIONS.indexOf(conversion) < 0) {
        throw new IllegalArgumentException(
            "the timestamp format \"%s\" has the unknown conversion %%%s"
                .formatted(format, conversion));
      }
    }
    this.format = format;
    hasYear = has("YyFD");
    hasDate = hasYear || has("mdejbBh");
  }

  private boolean has(String conversions) {
    return conversions.chars().anyMatch(c -> format.contains("%" + (char) c));
  }

  /** Parses a text as a whole; false if it has another form. */
  boolean parse(String text, LogTime into) {
    into.clear();
    Parsing parsing = new Parsing(text, into);
    if (!parsing.run(format) || parsing.at != text.length()) {
      return false;
    }
    parsing.finish();
    if (!into.isCount && !hasYear) {
      into.missing = hasDate ? Missing.YEAR : Missing.DATE;
    }
    return into.isValid();
  }

  /** One parse. */
  private static final class Parsing {
    private final String text;
    private final LogTime time;
    private int at;
    private int dayOfYear;
    private boolean isAfternoon;
    private boolean hasHalf;

    Parsing(String text, LogTime time) {
      this.text = text;
      this.time = time;
    }

    boolean run(String format) {
      for (int i = 0; i < format.length(); i++) {
        char c = format.charAt(i);
        boolean fits;
        if (c == '%' && i + 1 < format.length()) {
          i++;
          fits = convert(format.charAt(i));
        } else if (c == ' ') {
          fits = true;
          skipSpaces();
        } else {
          fits = literal(c);
        }
        if (!fits) {
          return false;
        }
      }
      return true;
    }

    private void skipSpaces() {
      while (at < text.length() && text.charAt(at) == ' ') {
        at++;
      }
    }

    private boolean literal(char c) {
      boolean fits = at < text.length() && text.charAt(at) == c;
      at += fits ? 1 : 0;
      return fits;
    }

    private boolean convert(char conversion) {
      return switch (conversion) {
        case 'Y' -> (time.year = (int) digits(4, 4)) >= 0;
        case 'y' -> {
          int year = (int) digits(2, 2);
          time.year = year < 70 ? 2000 + year : 1900 + year;
          yield year >= 0;
        }
        case 'm' -> (time.month = (int) digits(1, 2)) >= 0;
        case 'd', 'e' -> {
          skipSpaces();
          yield (time.day = (int) digits(1, 2)) >= 0;
        }
        case 'j' -> (dayOfYear = (int) digits(1, 3)) >= 0;
        case 'H', 'k', 'I', 'l' -> {
          skipSpaces();
          yield (time.hour = (int) digits(1, 2)) >= 0;
        }
        case 'M' -> (time.minute = (int) digits(1, 2)) >= 0;
        case 'S' -> (time.second = (int) digits(1, 2)) >= 0;
        case 'f', 'L', 'N' -> fraction(conversion == 'f' ? 9 : conversion == 'L' ? 3 : 9);
        case 'p' -> half();
        case 'z', 'Z' -> zone();
        case 's', 'i', '6', '9', 'q' -> count(conversion);
        case 'b', 'B', 'h' -> word() && (time.month = TimeScanner.monthOf(last)) > 0;
        case 'a', 'A' -> word();
        case 'T' -> run("%H:%M:%S");
        case 'R' -> run("%H:%M");
        case 'D' -> run("%m/%d/%y");
        case 'F' -> run("%Y-%m-%d");
        default -> literal('%');
      };
    }

    private String last = "";

    private boolean word() {
      int start = at;
      while (at < text.length() && Character.isLetter(text.charAt(at))) {
        at++;
      }
      last = text.substring(start, at);
      return at > start;
    }

    /** A number; -1 if there is none. */
    private long digits(int least, int most) {
      int start = at;
      while (at < text.length() && at - start < most && TimeScanner.isDigit(text.charAt(at))) {
        at++;
      }
      return at - start < least ? -1 : Long.parseLong(text, start, at, 10);
    }

    private boolean fraction(int most) {
      int start = at;
      long number = digits(1, most);
      if (number < 0) {
        return false;
      }
      for (int i = at - start; i < 9; i++) {
        number *= 10;
      }
      time.nanos = (int) number;
      return true;
    }

    private boolean half() {
      boolean fits = word() && last.length() == 2 && "ap".indexOf(lower(last.charAt(0))) >= 0;
      hasHalf = fits;
      isAfternoon = fits && lower(last.charAt(0)) == 'p';
      return fits && time.hour >= 0 && time.hour <= 12;
    }

    private static char lower(char c) {
      return Character.toLowerCase(c);
    }

    private boolean zone() {
      int start = at;
      while (at < text.length() && text.charAt(at) > ' ' && text.charAt(at) != ']') {
        at++;
      }
      // The scanner knows zones; a time before them makes it a whole.
      TimeScanner scanner = new TimeScanner();
      String zone = text.substring(start, at);
      String separator = zone.startsWith("+") || zone.startsWith("-") ? "" : " ";
      String whole = "2000-01-01 00:00:00" + separator + zone;
      boolean isKnown = scanner.scan(whole, 0) == whole.length();
      time.offsetSeconds = isKnown ? scanner.time().offsetSeconds : LogTime.NO_OFFSET;
      return !zone.isEmpty();
    }

    private boolean count(char conversion) {
      int start = at;
      long number;
      if (conversion == 'q') {
        while (at < text.length() && Character.digit(text.charAt(at), 16) >= 0) {
          at++;
        }
        number = at - start < 1 || at - start > 15 ? -1 : Long.parseLong(text, start, at, 16);
      } else {
        number = digits(1, 18);
      }
      time.isCount = true;
      time.micros =
          switch (conversion) {
            case 'i' -> number * 1_000;
            case '6' -> number;
            case '9' -> number / 1_000;
            default -> number > Long.MAX_VALUE / 2_000_000 ? -1 : number * 1_000_000;
          };
      return number >= 0 && time.micros >= 0;
    }

    void finish() {
      if (hasHalf) {
        time.hour = time.hour % 12 + (isAfternoon ? 12 : 0);
      }
      if (time.isCount) {
        time.micros += time.nanos / 1_000;
        time.nanos = 0;
      }
      if (dayOfYear > 0) {
        long day = LogTime.daysFromEpoch(time.year, 1, 1) + dayOfYear - 1;
        java.time.LocalDate date = java.time.LocalDate.ofEpochDay(day);
        time.month = date.getMonthValue();
        time.day = date.getDayOfMonth();
      }
    }
  }
}
