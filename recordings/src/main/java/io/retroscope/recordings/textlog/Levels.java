// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The names of severities in logs. */
final class Levels {
  /** The longest of the names. */
  static final int MAX_LENGTH = 13;

  private static final Set<String> NAMES =
      Set.of(
          "TRACE",
          "DEBUG",
          "INFO",
          "WARN",
          "WARNING",
          "ERROR",
          "FATAL",
          "SEVERE",
          "CONFIG",
          "FINE",
          "FINER",
          "FINEST",
          "NOTICE",
          "CRITICAL",
          "ALERT",
          "EMERG",
          "EMERGENCY",
          "CRIT",
          "ERR",
          "VERBOSE",
          "INFORMATION",
          "PANIC",
          "DPANIC",
          "LOG",
          "DETAIL",
          "HINT",
          "STATEMENT",
          "CONTEXT",
          "QUERY",
          "LOCATION",
          "DEBUG1",
          "DEBUG2",
          "DEBUG3",
          "DEBUG4",
          "DEBUG5",
          "SYSTEM",
          "NOTE",
          "FAILURE",
          "AUDIT",
          "SUCCESS",
          "TRC",
          "DBG",
          "INF",
          "WRN",
          "FTL",
          "PNC",
          "OFF",
          "INFORMATIONAL",
          "ERRO",
          "DEBU",
          "FATA",
          "PANI",
          "TRAC");

  private static final Set<String> FORMS = forms();

  /** Abbreviations that no scale of severities has. */
  private static final Map<String, String> LONG_NAMES =
      Map.ofEntries(
          Map.entry("ERRO", "ERROR"),
          Map.entry("DEBU", "DEBUG"),
          Map.entry("FATA", "FATAL"),
          Map.entry("PANI", "PANIC"),
          Map.entry("TRAC", "TRACE"),
          Map.entry("TRC", "TRACE"),
          Map.entry("DBG", "DEBUG"),
          Map.entry("INF", "INFO"),
          Map.entry("WRN", "WARN"),
          Map.entry("FTL", "FATAL"),
          Map.entry("PNC", "PANIC"));

  /** The severities of syslog, by number. */
  private static final String[] SYSLOG = {
    "EMERGENCY", "ALERT", "CRITICAL", "ERROR", "WARNING", "NOTICE", "INFO", "DEBUG"
  };

  private Levels() {}

  private static Set<String> forms() {
    Set<String> forms = new HashSet<>(NAMES);
    for (String name : NAMES) {
      String lower = name.toLowerCase(Locale.ROOT);
      forms.add(lower);
      forms.add(name.charAt(0) + lower.substring(1));
    }
    return forms;
  }

  /** Whether a word is a severity in upper case, lower case, or with one capital. */
  static boolean isOne(String word) {
    return word.length() <= MAX_LENGTH && FORMS.contains(word);
  }

  /** The usual name of a severity. */
  static String usual(String word) {
    return word.length() > 4 ? word : LONG_NAMES.getOrDefault(word, word);
  }

  /** The severity of a letter of Android, glog and others; empty if it has none. */
  static String ofLetter(char letter) {
    return switch (letter) {
      case 'V' -> "VERBOSE";
      case 'D' -> "DEBUG";
      case 'I' -> "INFO";
      case 'W' -> "WARN";
      case 'E' -> "ERROR";
      case 'F' -> "FATAL";
      case 'C' -> "CRITICAL";
      case 'N' -> "NOTICE";
      case 'T' -> "TRACE";
      default -> "";
    };
  }

  /** The severity of a number of syslog, from 0; empty if it has none. */
  static String ofSyslog(long number) {
    return number >= 0 && number < SYSLOG.length ? SYSLOG[(int) number] : "";
  }

  /** The severity of a number of bunyan and pino, 10 to 60; empty if it has none. */
  static String ofTens(long number) {
    return switch ((int) Math.max(0, Math.min(number, 100)) / 10) {
      case 1 -> "TRACE";
      case 2 -> "DEBUG";
      case 3 -> "INFO";
      case 4 -> "WARN";
      case 5 -> "ERROR";
      case 6 -> "FATAL";
      default -> "";
    };
  }
}
