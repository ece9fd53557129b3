// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The lines of syslog, of RFC 3164 and RFC 5424, with or without a priority, and those that
 * journalctl prints in the same form. Immutable.
 */
final class SyslogFormat implements LineFormat {
  private static final int MAX_TAG_LENGTH = 200;

  private static final int MAX_HOSTS = 10_000;

  private static final List<String> SAMPLES =
      List.of(
          "Nov 20 18:40:00 host1 sshd[4711]: Accepted publickey for root",
          "<34>1 2026-11-20T18:40:00.123Z host1 su 4711 ID47 - started",
          "2026-11-20T18:40:00+0100 host1 systemd[1]: Started cron.service");

  @Override
  public String name() {
    return "syslog";
  }

  @Override
  public String title() {
    return "syslog (RFC 3164 and 5424), journalctl -o short, short-iso and short-precise";
  }

  @Override
  public List<String> samples() {
    return SAMPLES;
  }

  @Override
  public String kind() {
    return "by hand";
  }

  @Override
  public LineReader reader(DateOrder order) {
    return new Reader();
  }

  private static final class Reader implements LineReader {
    private final TimeScanner scanner = new TimeScanner();
    private final Set<String> hosts = new HashSet<>();

    /** Whether the time is that of RFC 3164, which begins with a month's name. */
    private boolean isOldForm;

    private String in = "";
    private Entry entry = new Entry();

    @Override
    public boolean read(String line, Entry into) {
      if (line.isEmpty() || line.charAt(0) <= ' ') {
        return false;
      }
      in = line;
      entry = into;
      into.clear();
      int start = priority();
      if (start < 0) {
        return false;
      }
      boolean isNew = start > 0 && line.startsWith("1 ", start);
      int end = scanner.scan(line, isNew ? start + 2 : start);
      if (end < 0 || end >= line.length() || line.charAt(end) != ' ') {
        return false;
      }
      into.time = scanner.time();
      isOldForm =
          scanner.time().missing == LogTime.Missing.YEAR && Character.isLetter(line.charAt(start));
      return isNew ? readNew(end + 1) : readOld(end + 1);
    }

    /** Reads the priority in angle brackets; returns the position after it, or -1. */
    private int priority() {
      if (in.charAt(0) != '<') {
        return 0;
      }
      int close = in.indexOf('>');
      if (close < 2 || close > 4) {
        return -1;
      }
      int number = 0;
      for (int i = 1; i < close; i++) {
        if (!TimeScanner.isDigit(in.charAt(i))) {
          return -1;
        }
        number = number * 10 + in.charAt(i) - '0';
      }
      entry.level(Levels.ofSyslog(number % 8));
      return close + 1;
    }

    /** Host, program with its process in brackets, colon, message. */
    private boolean readOld(int from) {
      int host = from;
      while (host < in.length() && in.charAt(host) == ' ') {
        host++;
      }
      int space = in.indexOf(' ', host);
      if (space < 0) {
        return false;
      }
      String name = in.substring(host, space);
      int tag = space + 1;
      int colon = in.indexOf(": ", tag);
      boolean endsWithColon = colon < 0 && in.endsWith(":");
      int end = endsWithColon ? in.length() - 1 : colon;
      boolean hasTag = end > tag && end - tag <= MAX_TAG_LENGTH && isTag(tag, end);
      boolean hasProcess = hasTag && in.charAt(end - 1) == ']';
      if (!isHost(name) || !isSure(name, hasProcess)) {
        return false;
      }
      entry.node = name;
      if (!hasTag) {
        entry.message(in.substring(tag));
        return isRepetition(tag) || isOldForm;
      }
      program(in.substring(tag, end));
      entry.message(in.substring(Math.min(in.length(), end + 1)).stripLeading());
      return true;
    }

    /**
     * Whether a word after the time is a host. Other logs have words there too, unless the time is
     * that of the old form, or a program with its process follows, here or on an earlier line.
     */
    private boolean isSure(String name, boolean hasProcess) {
      if (isOldForm) {
        return true;
      }
      boolean isIso = in.indexOf('T') >= 0 && scanner.time().offsetSeconds != LogTime.NO_OFFSET;
      if (isIso && hasProcess && hosts.size() < MAX_HOSTS) {
        hosts.add(name);
      }
      return isIso && hosts.contains(name);
    }

    private boolean isRepetition(int at) {
      return in.startsWith("--- last message repeated", at)
          || in.startsWith("last message repeated", at)
          || in.startsWith("message repeated", at);
    }

    private static boolean isHost(String name) {
      if (name.isEmpty() || name.endsWith(":") || Levels.isOne(name)) {
        return false;
      }
      boolean hasLetter = false;
      for (int i = 0; i < name.length(); i++) {
        char c = name.charAt(i);
        hasLetter |= Character.isLetterOrDigit(c);
        boolean isPart = Character.isLetterOrDigit(c) || ".-_:/@%".indexOf(c) >= 0;
        if (!isPart) {
          return false;
        }
      }
      return hasLetter;
    }

    /** Whether a text is the name of a program, which may have spaces before its process. */
    private boolean isTag(int from, int to) {
      boolean hasProcess = in.charAt(to - 1) == ']' || in.charAt(to - 1) == ')';
      for (int i = from; i < to; i++) {
        char c = in.charAt(i);
        if (c == ' ' && !hasProcess) {
          return false;
        }
      }
      return Character.isLetterOrDigit(in.charAt(from)) || "_/(-.".indexOf(in.charAt(from)) >= 0;
    }

    private void program(String tag) {
      int open = tag.indexOf('[');
      int close = tag.indexOf(']', Math.max(0, open));
      if (open > 0 && close > open) {
        entry.field("program", tag.substring(0, open));
        entry.field("pid", tag.substring(open + 1, close));
      } else {
        entry.field("program", tag);
      }
    }

    /** Host, program, process, kind of message, structured data, message. */
    private boolean readNew(int from) {
      int at = from;
      String[] parts = new String[4];
      for (int i = 0; i < parts.length; i++) {
        int space = in.indexOf(' ', at);
        if (space < 0) {
          return false;
        }
        String part = in.substring(at, space);
        parts[i] = part.equals("-") ? "" : part;
        at = space + 1;
      }
      entry.node = parts[0];
      entry.field("program", parts[1]);
      entry.field("pid", parts[2]);
      entry.field("msgid", parts[3]);
      int end = endOfData(at);
      if (end < 0) {
        return false;
      }
      entry.field("data", in.startsWith("-", at) ? "" : in.substring(at, end));
      String message = in.substring(Math.min(in.length(), end + 1));
      entry.message(message.startsWith("\uFEFF") ? message.substring(1) : message);
      return true;
    }

    /** The position after the structured data, in which a backslash escapes; -1 if it has none. */
    private int endOfData(int from) {
      if (in.startsWith("-", from)) {
        return from + 1;
      }
      boolean isQuoted = false;
      int at = from;
      while (at < in.length()) {
        char c = in.charAt(at);
        if (c == '\\') {
          at++;
        } else if (c == '"') {
          isQuoted = !isQuoted;
        } else if (c == ']' && !isQuoted && !in.startsWith("[", at + 1)) {
          return at + 1;
        } else if (at == from && c != '[') {
          return -1;
        }
        at++;
      }
      return -1;
    }
  }
}
