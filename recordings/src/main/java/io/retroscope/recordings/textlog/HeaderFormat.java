// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.util.List;

/**
 * The form of most services' lines: a time, then a severity, a thread and a logger in any usual
 * order, then the message. Read by hand. Immutable.
 */
final class HeaderFormat implements LineFormat {
  /** The most parts between the time and the message. */
  private static final int MAX_PARTS = 10;

  private static final int MAX_BRACKET = 300;

  /** Whether the names of loggers have a character of ASCII. */
  private static final boolean[] OF_NAMES = new boolean[128];

  static {
    for (char c = 0; c < OF_NAMES.length; c++) {
      OF_NAMES[c] = Character.isLetterOrDigit(c) || "._-$:/@#*<>".indexOf(c) >= 0;
    }
  }

  private static final List<String> SAMPLES =
      List.of(
          "2026-11-20 18:40:00.123 [main] INFO  com.acme.Orders - started",
          "2026-11-20T18:40:00.123Z  INFO 4711 --- [main] com.acme.Orders : started",
          "2026-11-20 18:40:00,123 - orders - WARNING - slow disk",
          "[2026-11-20 18:40:00,123] INFO [Broker 1] started (kafka.server.KafkaServer)",
          "INFO  [main] 2026-11-20 18:40:00,123 Gossiper.java:89 - joined",
          "2026/11/20 18:40:00 listening on :8080",
          "I, [2026-11-20T18:40:00.123456 #4711]  INFO -- : started",
          "18:40:00.123 [main] INFO com.acme.Orders - started");

  @Override
  public String name() {
    return "time-first";
  }

  @Override
  public String title() {
    return "Logback, Log4j, Spring Boot, java.util.logging, Python, Go, zap, Ruby, Kafka, ZooKeeper,"
        + " Hadoop, Spark, Cassandra, PostgreSQL, MySQL, nginx' errors, Android, ...";
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
    return new Reader(order);
  }

  /** The reader; its position is after the read part. */
  private static final class Reader implements LineReader {
    private final TimeScanner scanner = new TimeScanner();
    private String in = "";
    private int at;
    private Entry entry = new Entry();
    private boolean hasThread;
    private boolean hasNumber;
    private boolean hasRule;
    private boolean hasLogger;

    Reader(DateOrder order) {
      scanner.order(order);
    }

    @Override
    public boolean read(String line, Entry into) {
      if (line.isEmpty() || line.charAt(0) <= ' ') {
        return false;
      }
      in = line;
      at = 0;
      entry = into;
      hasThread = false;
      hasNumber = false;
      hasRule = false;
      hasLogger = false;
      into.clear();
      if (!readTime()) {
        return false;
      }
      into.time = scanner.time();
      int parts = 0;
      boolean isPart = true;
      while (isPart && parts < MAX_PARTS) {
        skipSeparators();
        isPart = readPart();
        parts++;
      }
      while (Character.isWhitespace(at(at))) {
        at++;
      }
      into.message(in.substring(Math.min(at, in.length())));
      return true;
    }

    private String word(int from, int to) {
      return entry.word(in, from, to);
    }

    private char at(int position) {
      return position < in.length() ? in.charAt(position) : '\0';
    }

    private boolean readTime() {
      char first = in.charAt(0);
      if (TimeScanner.isDigit(first)) {
        return scan(0);
      }
      boolean isOpen = first == '[' || first == '(' || first == '<' || first == '*';
      if (isOpen) {
        if (TimeScanner.isDigit(at(1)) || Character.isLetter(at(1))) {
          return scan(1) || readLetterTime() || readLevelTime();
        }
        return false;
      }
      return Character.isLetter(first) && (scan(0) || readLevelTime() || readRubyTime());
    }

    private boolean scan(int from) {
      int end = scanner.scan(in, from);
      // A time ends where a word ends; otherwise it is a part of one.
      if (end < 0 || Character.isLetterOrDigit(at(end)) || at(end) == '_') {
        return false;
      }
      at = end;
      return true;
    }

    /** A bracket such as [I 261120 18:40:00 web:2]. */
    private boolean readLetterTime() {
      String level = Levels.ofLetter(at(1));
      if (level.isEmpty() || at(2) != ' ' || !scan(3)) {
        return false;
      }
      entry.level(level);
      return true;
    }

    /** The beginning of I, [2026-11-20T18:40:00.123456 #4711] INFO -- : started. */
    private boolean readRubyTime() {
      if (!in.startsWith(", [", 1) || !scan(4) || !in.startsWith(" #", at)) {
        return false;
      }
      int close = closing(3);
      if (close < 0) {
        return false;
      }
      entry.field("pid", word(at + 2, close));
      hasNumber = true;
      at = close + 1;
      return true;
    }

    /** A severity, with or without brackets, and perhaps a thread, before the time. */
    private boolean readLevelTime() {
      int start = at(0) == '[' ? 1 : 0;
      int end = start;
      while (Character.isLetter(at(end))) {
        end++;
      }
      String word = in.substring(start, end);
      if (!Levels.isOne(word)) {
        return false;
      }
      at = end;
      skipSeparators();
      String thread = "";
      if (at(at) == '[' && !TimeScanner.isDigit(at(at + 1))) {
        int close = closing(at);
        if (close < 0) {
          return false;
        }
        thread = in.substring(at + 1, close).strip();
        at = close + 1;
        skipSeparators();
      }
      at += at(at) == '[' || at(at) == '(' ? 1 : 0;
      if (!scan(at)) {
        return false;
      }
      entry.level(word);
      entry.field("thread", thread);
      hasThread = !thread.isEmpty();
      return true;
    }

    private void skipSeparators() {
      while (at < in.length()) {
        char c = in.charAt(at);
        boolean isSeparator =
            c == ' ' || c == '\t' || c == '|' || c == ']' || c == ')' || c == '>' || c == ',';
        // A dash or a colon separates if nothing is attached to it.
        boolean isFree =
            (c == '-' || c == ':' || c == ';' || c == '/' || c == '\u22EE')
                && (at(at + 1) <= ' ' || at(at + 1) == '-' || at(at + 1) == '[' || c == '/');
        if (!isSeparator && !isFree) {
          return;
        }
        at++;
      }
    }

    /** Reads a part before the message; false if the message begins. */
    private boolean readPart() {
      char c = at(at);
      if (c == '[' || c == '(') {
        return readBracket(c);
      }
      int end = endOfToken(at);
      int length = end - at;
      if (length == 0) {
        return false;
      }
      if (TimeScanner.isDigit(c)) {
        return readNumber(end);
      }
      if (entry.hasLevel()) {
        return readLogger(end);
      }
      return readLevel(at, end) || (readsLevelNext(end) && takeLogger(end));
    }

    private int endOfToken(int from) {
      int last = in.length();
      int end = from;
      while (end < last && isOfToken(in.charAt(end))) {
        end++;
      }
      return end;
    }

    private static boolean isOfToken(char c) {
      return c > ' ' && c != '|' && c != '[' && c != ']';
    }

    private boolean readBracket(char open) {
      int close = open == '[' ? closing(at) : in.indexOf(')', at);
      if (close < 0 || close - at > MAX_BRACKET) {
        return false;
      }
      String content = content(at + 1, close);
      if (!entry.hasLevel() && isBracketOfLevel(content)) {
        at = close + 1;
        return true;
      }
      if (open == '(') {
        return false;
      }
      if (content.isEmpty()) {
        at = close + 1;
        return true;
      }
      boolean isNumber = isNumber(content);
      if (isNumber && !hasNumber) {
        entry.field("pid", content);
        hasNumber = true;
      } else if (!hasThread) {
        entry.field("thread", content);
        hasThread = true;
      } else if (hasRule && !entry.fields().containsKey("application")) {
        Value application = entry.fields().get("thread");
        if (application != null) {
          entry.field("application", application);
        }
        entry.field("thread", content);
      } else {
        return false;
      }
      at = close + 1;
      return true;
    }

    /** The text within a bracket, without space at its ends. */
    private String content(int from, int to) {
      int start = from;
      int end = to;
      while (start < end && Character.isWhitespace(in.charAt(start))) {
        start++;
      }
      while (end > start && Character.isWhitespace(in.charAt(end - 1))) {
        end--;
      }
      return word(start, end);
    }

    private static boolean isNumber(String content) {
      for (int i = 0; i < content.length(); i++) {
        if (!TimeScanner.isDigit(content.charAt(i))) {
          return false;
        }
      }
      return true;
    }

    private boolean isBracketOfLevel(String content) {
      int start = content.length();
      while (start > 0 && Character.isLetterOrDigit(content.charAt(start - 1))) {
        start--;
      }
      int colon = start - 1;
      if (colon >= 0 && content.charAt(colon) != ':') {
        return false;
      }
      String word = content.substring(start);
      if (content.length() == 1 && !Levels.ofLetter(content.charAt(0)).isEmpty()) {
        entry.level(Levels.ofLetter(content.charAt(0)));
        return true;
      }
      if (!Levels.isOne(word)) {
        return false;
      }
      entry.level(word);
      if (colon > 0) {
        takeLogger(content.substring(0, colon));
      }
      return true;
    }

    /** The position of the bracket that closes the one at a position; -1 if it is far or absent. */
    private int closing(int from) {
      int depth = 0;
      int last = Math.min(in.length(), from + MAX_BRACKET);
      for (int i = from; i < last; i++) {
        char c = in.charAt(i);
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth == 0) {
          return i;
        }
      }
      return -1;
    }

    /** A number of a process or a thread, if a severity or another number follows. */
    private boolean readNumber(int end) {
      for (int i = at; i < end; i++) {
        if (!TimeScanner.isDigit(in.charAt(i)) && in.charAt(i) != '#' && in.charAt(i) != ':') {
          return false;
        }
      }
      if (hasNumber || (entry.hasLevel() && !precedesRule(end))) {
        if (hasNumber && !entry.hasLevel() && readsLevelNext(end)) {
          entry.field("tid", word(at, end));
          at = end;
          return true;
        }
        return false;
      }
      hasNumber = true;
      hasRule |= in.startsWith(" ---", end);
      entry.field("pid", word(at, end(end)));
      at = end;
      return true;
    }

    private int end(int end) {
      return in.charAt(end - 1) == ':' ? end - 1 : end;
    }

    /** Spring Boot has the process between the severity and three dashes; nginx has a colon. */
    private boolean precedesRule(int end) {
      return in.startsWith(" ---", end) || in.charAt(end - 1) == ':';
    }

    /** Reads a severity within a token, such as INFO, info:, I or INFO/MainProcess. */
    private boolean readLevel(int from, int to) {
      int end = from;
      while (end < to && Character.isLetterOrDigit(in.charAt(end))) {
        end++;
      }
      char next = at(end);
      boolean isWhole = end == to || next == ':' || next == '/' || next == ',' || next == ']';
      if (!isWhole || end == from) {
        return false;
      }
      if (end - from == 1) {
        String level = next == ':' ? "" : Levels.ofLetter(in.charAt(from));
        if (level.isEmpty() || end != to) {
          return false;
        }
        entry.level(level);
      } else {
        String word = end - from <= Levels.MAX_LENGTH ? word(from, end) : "";
        if (!Levels.isOne(word) || !(isUpper(word) || isSetOff(end))) {
          return false;
        }
        entry.level(word);
      }
      at = end;
      at += at(at) == ':' ? 1 : 0;
      return true;
    }

    private static boolean isUpper(String word) {
      return !Character.isLowerCase(word.charAt(word.length() - 1));
    }

    /** Whether a word is more than one of a message, by what follows. */
    private boolean isSetOff(int end) {
      char next = at(end);
      boolean isWide = next == ' ' && (at(end + 1) == ' ' || at(end + 1) == '-');
      return isWide || (next != ' ' && next != 0);
    }

    /** Whether the token after a position is a severity. */
    private boolean readsLevelNext(int from) {
      int start = from;
      while (at(start) == ' '
          || at(start) == '\t'
          || at(start) == '|'
          || at(start) == '['
          || at(start) == ']'
          || (at(start) == '-' && at(start + 1) == ' ')) {
        start++;
      }
      int end = endOfToken(start);
      int word = start;
      while (word < end && Character.isLetterOrDigit(in.charAt(word))) {
        word++;
      }
      boolean isWhole = word == end || at(word) == ':' || at(word) == '/';
      boolean isLetter = word - start == 1 && word == end && !Levels.ofLetter(at(start)).isEmpty();
      return isWhole && (isLetter || isLevel(in.substring(start, word), start));
    }

    private boolean isLevel(String word, int start) {
      return Levels.isOne(word) && (isUpper(word) || at(start - 1) == '[');
    }

    private boolean takeLogger(int end) {
      takeLogger(word(at, end(end)));
      at = end;
      return true;
    }

    private void takeLogger(String name) {
      entry.field("logger", name);
      hasLogger = true;
    }

    /** Reads a logger's name after the severity, which a colon or a free dash ends. */
    private boolean readLogger(int end) {
      if (hasLogger) {
        return false;
      }
      char last = in.charAt(end - 1);
      int next = end;
      while (at(next) == ' ') {
        next++;
      }
      boolean isFree = (at(next) == '-' || at(next) == ':') && at(next + 1) <= ' ';
      boolean isTabbed = at(end) == '\t' && in.indexOf(':', at) > 0 && in.indexOf(':', at) < end;
      if ((last == ':' && end - at > 1) || (isFree && end - at > 1) || isTabbed) {
        return isName(at, end(end)) && takeLogger(end);
      }
      return isThreadBeforeLogger(next);
    }

    private boolean isName(int from, int to) {
      for (int i = from; i < to; i++) {
        if (!isOfName(in.charAt(i))) {
          return false;
        }
      }
      return to > from;
    }

    private static boolean isOfName(char c) {
      return c < OF_NAMES.length ? OF_NAMES[c] : Character.isLetterOrDigit(c);
    }

    /** Log4j and Logback may have a logger, then the thread in brackets. */
    private boolean isThreadBeforeLogger(int next) {
      int end = endOfToken(at);
      boolean hasPackage = in.indexOf('.', at) > 0 && in.indexOf('.', at) < end - 1;
      if (at(next) != '[' || !hasPackage || !isName(at, end)) {
        return false;
      }
      return takeLogger(end);
    }

    /** java.util.logging has the severity at the start of its second line. */
    @Override
    public void finish(Entry entry) {
      if (entry.hasLevel()) {
        return;
      }
      String message = entry.message();
      int start = message.indexOf('\n') + 1;
      int colon = start > 0 ? message.indexOf(": ", start) : -1;
      if (colon < 0 || colon - start > 12 || !Levels.isOne(message.substring(start, colon))) {
        return;
      }
      entry.level(message.substring(start, colon));
      entry.field("logger", message.substring(0, start - 1));
      entry.replace(message.substring(colon + 2));
    }
  }
}
