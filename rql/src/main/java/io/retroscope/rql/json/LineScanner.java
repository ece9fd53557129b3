// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A scanner of one line of JSON in ASCII. What it does not accept may still be valid JSON. Used by
 * one thread.
 */
final class LineScanner {
  /** A power of two; the strings that repeat in a log, such as names, are found here again. */
  private static final int KNOWN_STRINGS = 1 << 12;

  /** Longer strings are rarely repeated. */
  private static final int MAX_KNOWN_LENGTH = 64;

  /** The most digits that always fit a long. */
  private static final int MAX_DIGITS = 18;

  private static final int MAX_DECIMAL_LENGTH = 64;

  private static final int MAX_MICROS_DIGITS = 16;
  private static final int MAX_LOGICAL_DIGITS = 4;

  private final @Nullable String[] known = new String[KNOWN_STRINGS];
  private final IsoTimeScanner times = new IsoTimeScanner();
  private byte[] line = new byte[0];
  private int at;
  private int end;
  private int length;
  private long number;
  private boolean isDouble;

  /** Begins the line in a part of an array. */
  void begin(byte[] bytes, int from, int to) {
    line = bytes;
    at = from;
    end = to;
    length = to - from;
  }

  /** The number of bytes of the line. */
  int length() {
    return length;
  }

  /**
   * The number that was read last; the bits of a double, a packed stamp, or the micros of a time.
   */
  long number() {
    return number;
  }

  /** Whether the number that was read last is a double. */
  boolean isDouble() {
    return isDouble;
  }

  /** The next byte that is not a space; 0 at the end. */
  int peek() {
    while (at < end && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) {
      at++;
    }
    return at < end ? line[at] : 0;
  }

  boolean isAtEnd() {
    return peek() == 0 && at == end;
  }

  /** Skips a sign if it comes next. */
  boolean take(char sign) {
    if (peek() != sign) {
      return false;
    }
    at++;
    return true;
  }

  /** Skips a word if it comes next. */
  boolean take(String word) {
    peek();
    if (end - at < word.length()) {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (line[at + i] != word.charAt(i)) {
        return false;
      }
    }
    at += word.length();
    return true;
  }

  /** Reads a string without escapes; null if there is none. */
  @Nullable String string() {
    if (!take('"')) {
      return null;
    }
    int start = at;
    int hash = 0;
    byte[] bytes = line;
    int limit = end;
    int i = start;
    for (; i < limit; i++) {
      byte b = bytes[i];
      if (b == '"') {
        break;
      }
      if (b < ' ' || b == '\\') { // also the first byte of a character that is not ASCII
        return null;
      }
      hash = 31 * hash + b;
    }
    if (i == limit) {
      return null;
    }
    at = i + 1;
    return string(start, i - start, hash);
  }

  private String string(int start, int size, int hash) {
    if (size > MAX_KNOWN_LENGTH) {
      return new String(line, start, size, StandardCharsets.ISO_8859_1);
    }
    int slot = (hash ^ hash >>> 15) & (KNOWN_STRINGS - 1);
    String found = known[slot];
    if (found != null && isSame(found, start, size)) {
      return found;
    }
    String made = new String(line, start, size, StandardCharsets.ISO_8859_1);
    known[slot] = made;
    return made;
  }

  private boolean isSame(String text, int start, int size) {
    if (text.length() != size) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      if (text.charAt(i) != line[start + i]) {
        return false;
      }
    }
    return true;
  }

  /** Reads an integer of at most 18 digits. */
  boolean integer() {
    boolean negative = take('-');
    int start = at;
    long read = 0;
    while (at < end && isDigit(line[at]) && at - start <= MAX_DIGITS) {
      read = 10 * read + (line[at] - '0');
      at++;
    }
    number = negative ? -read : read;
    isDouble = false;
    int digits = at - start;
    boolean isFraction = at < end && (line[at] == '.' || line[at] == 'e' || line[at] == 'E');
    return digits > 0 && digits <= MAX_DIGITS && (digits == 1 || line[start] != '0') && !isFraction;
  }

  /** Reads an integer or a double. */
  boolean value() {
    peek();
    int start = at;
    if (integer()) {
      return true;
    }
    at = start;
    return decimal();
  }

  private boolean decimal() {
    int start = at;
    if (at < end && line[at] == '-') {
      at++;
    }
    int first = at;
    int whole = digits();
    boolean valid = whole == 1 || (whole > 1 && line[first] != '0');
    int parts = 0;
    if (at < end && line[at] == '.') {
      at++;
      parts++;
      valid &= digits() > 0;
    }
    if (at < end && (line[at] == 'e' || line[at] == 'E')) {
      at++;
      parts++;
      if (at < end && (line[at] == '+' || line[at] == '-')) {
        at++;
      }
      valid &= digits() > 0;
    }
    if (!valid || parts == 0 || at - start > MAX_DECIMAL_LENGTH) {
      return false;
    }
    double read =
        Double.parseDouble(new String(line, start, at - start, StandardCharsets.ISO_8859_1));
    number = Double.doubleToRawLongBits(read);
    isDouble = true;
    return Double.isFinite(read);
  }

  private int digits() {
    int start = at;
    while (at < end && isDigit(line[at])) {
      at++;
    }
    return at - start;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Reads a stamp: a string {@code "<micros>.<logical>"} or an integer of microseconds. */
  boolean stamp() {
    if (peek() != '"') {
      return peek() != '-' && integer() && pack(number, 0);
    }
    at++;
    int start = at;
    long micros = plainDigits();
    int count = at - start;
    if (count < 1 || count > MAX_MICROS_DIGITS) {
      return false;
    }
    long logical = 0;
    if (at < end && line[at] == '.') {
      at++;
      start = at;
      logical = plainDigits();
      count = at - start;
      if (count < 1 || count > MAX_LOGICAL_DIGITS) {
        return false;
      }
    }
    return at < end && line[at++] == '"' && pack(micros, logical);
  }

  /** Reads a string that is the {@link HlcTimestamp#isoMicros} of a time. */
  boolean time() {
    if (peek() != '"') {
      return false;
    }
    int last = at + IsoTimeScanner.LENGTH + 1;
    if (last >= end || line[last] != '"') {
      return false;
    }
    long micros = times.micros(line, at + 1);
    if (micros == IsoTimeScanner.NONE) {
      return false;
    }
    number = micros;
    at = last + 1;
    return true;
  }

  private long plainDigits() {
    long read = 0;
    while (at < end && isDigit(line[at])) {
      read = 10 * read + (line[at] - '0');
      at++;
    }
    return read;
  }

  private boolean pack(long micros, long logical) {
    if (micros < 0 || micros > HlcTimestamp.MAX_MICROS || logical > HlcTimestamp.MAX_LOGICAL) {
      return false;
    }
    number = HlcTimestamp.pack(micros, (int) logical);
    return true;
  }
}
