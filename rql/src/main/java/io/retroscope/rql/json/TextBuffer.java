package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Characters that are appended one text after another, with numbers, stamps and JSON strings
 * written in place. Its memory is that of the longest content so far, up to a limit. Used by one
 * thread.
 */
public final class TextBuffer {
  private static final int MAX_KEPT_CHARS = 1 << 16;
  private static final int MAX_LONG_CHARS = 20;

  /** The JSON text of each ASCII character within a string, as the generator writes it. */
  private static final String[] ESCAPES = escapes();

  private static final boolean[] IS_PLAIN = new boolean[128];

  static {
    for (int c = 0; c < IS_PLAIN.length; c++) {
      IS_PLAIN[c] = ESCAPES[c].length() == 1;
    }
  }

  private char[] chars = new char[512];
  private int length;

  private static String[] escapes() {
    String[] escapes = new String[128];
    for (int c = 0; c < escapes.length; c++) {
      String text = JsonValues.text(Value.of(String.valueOf((char) c)));
      escapes[c] = text.substring(1, text.length() - 1);
    }
    return escapes;
  }

  /** Removes all characters. */
  public void clear() {
    length = 0;
    if (chars.length > MAX_KEPT_CHARS) {
      chars = new char[512];
    }
  }

  /** Removes the characters from a position on. */
  public void cut(int position) {
    length = position;
  }

  /** Appends the content to another buffer. */
  public void appendTo(TextBuffer other) {
    other.ensure(length);
    System.arraycopy(chars, 0, other.chars, other.length, length);
    other.length += length;
  }

  /** The number of characters. */
  public int length() {
    return length;
  }

  /** The character at a position below {@link #length}. */
  public char charAt(int position) {
    return chars[position];
  }

  /** Appends a character. */
  public void append(char c) {
    ensure(1);
    chars[length++] = c;
  }

  /** Appends a text. */
  public void append(String text) {
    int count = text.length();
    ensure(count);
    text.getChars(0, count, chars, length);
    length += count;
  }

  /** Appends a number in decimal. */
  public void append(long number) {
    if (number == Long.MIN_VALUE) {
      append(Long.toString(number));
      return;
    }
    ensure(MAX_LONG_CHARS);
    long rest = Math.abs(number);
    if (number < 0) {
      chars[length++] = '-';
    }
    length += digitCount(rest);
    int at = length;
    while (rest > Integer.MAX_VALUE) {
      chars[--at] = (char) ('0' + rest % 10);
      rest /= 10;
    }
    int small = (int) rest;
    do {
      chars[--at] = (char) ('0' + small % 10);
      small /= 10;
    } while (small > 0);
  }

  private static int digitCount(long number) {
    int count = 1;
    for (long limit = 10; count < 19 && number >= limit; limit *= 10) {
      count++;
    }
    return count;
  }

  /** Appends {@link HlcTimestamp#text} of a packed stamp. */
  public void appendStamp(long packed) {
    append(HlcTimestamp.micros(packed));
    append('.');
    append(HlcTimestamp.logical(packed));
  }

  /** Appends a text as a JSON string, with its quotes. */
  public void appendJson(String text) {
    int count = text.length();
    ensure(count + 2);
    chars[length++] = '"';
    int from = length;
    text.getChars(0, count, chars, from);
    int plain = 0;
    while (plain < count && isPlain(chars[from + plain])) {
      plain++;
    }
    length += plain;
    for (int i = plain; i < count; i++) {
      char c = text.charAt(i);
      if (isPlain(c)) {
        append(c);
      } else {
        append(ESCAPES[c]);
      }
    }
    append('"');
  }

  private static boolean isPlain(char c) {
    return c >= IS_PLAIN.length || IS_PLAIN[c];
  }

  /** Prints the content. */
  public void printTo(PrintWriter out) {
    out.write(chars, 0, length);
  }

  /**
   * Writes the content in UTF-8 into an array if it is ASCII and fits.
   *
   * @return whether it was written
   */
  public boolean copyAscii(byte[] target, int at) {
    if (length > target.length - at) {
      return false;
    }
    int all = 0;
    for (int i = 0; i < length; i++) {
      all |= chars[i];
    }
    if (all >= 128) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      target[at + i] = (byte) chars[i];
    }
    return true;
  }

  /** Returns the content in UTF-8. */
  public byte[] bytes() {
    return toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return new String(chars, 0, length);
  }

  private void ensure(int more) {
    if (length + more > chars.length) {
      chars = Arrays.copyOf(chars, Math.max(length + more, 2 * chars.length));
    }
  }
}
