// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;
import java.util.Map;

/**
 * One entry of a text log: a line with a time, and the lines after it that have none. Mutable; used
 * by one thread.
 */
public final class Entry {
  /** The longest message, in characters; the rest of a longer one is left out. */
  static final int MAX_MESSAGE_LENGTH = 1 << 20;

  /** The field of a line's severity. */
  static final String LEVEL = "level";

  LogTime time = new LogTime();

  /** The node that the line names; empty for that of its file. */
  String node = "";

  /** The stream of a part that another line continues; empty for a whole line. */
  String partOf = "";

  /** The stream whose earlier parts it completes; empty if it has no parts. */
  String stream = "";

  /** Its first line as it is. */
  String raw = "";

  private final Words words;
  private final StringBuilder more = new StringBuilder(0);
  private String message = "";
  private final Map<String, Value> fields = new EntryFields();
  private long micros;
  private long line;
  private boolean isCutOff;
  private boolean hasLevel;

  /** An entry alone. */
  Entry() {
    this(new Words());
  }

  /** An entry among others that share words. */
  Entry(Words words) {
    this.words = words;
  }

  void clear() {
    node = "";
    partOf = "";
    stream = "";
    more.setLength(0);
    message = "";
    fields.clear();
    hasLevel = false;
    isCutOff = false;
  }

  void message(String text) {
    message = text;
  }

  void field(String name, String text) {
    if (!text.isEmpty()) {
      put(name, words.of(text));
    }
  }

  /** A part of a line, which is one object for all lines that have it. */
  String word(String ofLine, int from, int to) {
    return words.of(ofLine, from, to).value();
  }

  void field(String name, Value value) {
    put(name, value instanceof Value.StringValue text ? words.of(text.value()) : value);
  }

  private void put(String name, Value value) {
    fields.put(name, value);
    hasLevel |= name.equals(LEVEL);
  }

  void level(String text) {
    if (!text.isEmpty()) {
      put(LEVEL, words.of(Levels.usual(text)));
    }
  }

  void place(long lineNumber, long atMicros) {
    line = lineNumber;
    micros = atMicros;
  }

  /** Replaces the whole message. */
  void replace(String text) {
    more.setLength(0);
    message = text;
  }

  /** Adds a line without a time. */
  void addLine(String text) {
    add("\n", text);
  }

  /** Adds the next part of the same line. */
  void addPart(String text) {
    add("", text);
  }

  private void add(String separator, String text) {
    if (more.isEmpty()) {
      more.append(message);
    }
    int room = MAX_MESSAGE_LENGTH - more.length() - separator.length();
    if (text.length() > room) {
      isCutOff = true;
    }
    if (room > 0) {
      more.append(separator).append(text, 0, Math.min(text.length(), room));
    }
  }

  boolean hasLevel() {
    return hasLevel;
  }

  /** The time, in microseconds since 1970. */
  public long micros() {
    return micros;
  }

  /** The number of its first line, from 1. */
  public long line() {
    return line;
  }

  /** The node that the line names; empty for that of its file. */
  public String node() {
    return node;
  }

  /** The message, without the time and the parts that are fields; its lines end with LF. */
  public String message() {
    if (more.isEmpty()) {
      return message;
    }
    int end = more.length();
    while (end > 0 && more.charAt(end - 1) <= ' ') {
      end--;
    }
    return more.substring(0, end);
  }

  /** The other parts of the line by their names, as long as the entry is valid. */
  public Map<String, Value> fields() {
    return fields;
  }

  /** Whether the end of the message is left out, because it is too long. */
  public boolean isCutOff() {
    return isCutOff;
  }
}
