// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a text in UTF-8, without their ends and without the sequences that colour a
 * terminal. Bytes that are not UTF-8 are replaced. Used by one thread.
 */
public final class TextLines {
  /** The longest line, in bytes; the rest of a longer one is left out. */
  static final int MAX_LINE_BYTES = 1 << 20;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final char ESCAPE = '\u001B';
  private static final java.util.regex.Pattern COLOUR =
      java.util.regex.Pattern.compile("\u001B\\[[0-9;?]*[A-Za-z]");

  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int position;
  private int end;
  private byte[] line = new byte[1024];
  private int length;
  private long number;
  private long tooLong;
  private boolean isUnterminated;

  /** Lines from the position of a stream, which need not be buffered. */
  public TextLines(InputStream in) {
    this.in = in;
  }

  /**
   * Reads the next line; null at the end.
   *
   * @throws IOException if the stream cannot be read
   */
  public @Nullable String next() throws IOException {
    length = 0;
    boolean isShort = true;
    while (true) {
      if (position == end && !fill()) {
        isUnterminated = length > 0;
        return length == 0 ? null : text(line, 0, length);
      }
      int start = position;
      position = endOfLine();
      boolean isWhole = position < end;
      if (isWhole && length == 0 && isShort && position - start <= MAX_LINE_BYTES) {
        position++;
        return text(buffer, start, position - 1);
      }
      isShort &= append(start, position);
      if (isWhole) {
        position++;
        tooLong += isShort ? 0 : 1;
        return text(line, 0, length);
      }
    }
  }

  /** The position of the next end of a line in the buffer, or else of the buffer's end. */
  private int endOfLine() {
    byte[] bytes = buffer;
    int last = end;
    int at = position;
    while (at < last && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  private boolean fill() throws IOException {
    int read = in.read(buffer, 0, buffer.length);
    position = 0;
    end = Math.max(0, read);
    return read > 0;
  }

  private boolean append(int from, int to) {
    int count = Math.min(to - from, MAX_LINE_BYTES - length);
    if (length + count > line.length) {
      line = Arrays.copyOf(line, Math.max(line.length * 2, length + count));
    }
    System.arraycopy(buffer, from, line, length, count);
    length += count;
    return count == to - from;
  }

  private String text(byte[] bytes, int from, int to) {
    number++;
    int start = from;
    int stop = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    if (number == 1 && stop - from >= 3 && bytes[from] == (byte) 0xEF) {
      boolean isMark = bytes[from + 1] == (byte) 0xBB && bytes[from + 2] == (byte) 0xBF;
      start += isMark ? 3 : 0;
    }
    String text = new String(bytes, start, stop - start, StandardCharsets.UTF_8);
    return text.indexOf(ESCAPE) < 0 ? text : COLOUR.matcher(text).replaceAll("");
  }

  /** The number of the line read last, from 1. */
  public long number() {
    return number;
  }

  /** Whether the line read last has no end, so that it may be cut off. */
  public boolean isUnterminated() {
    return isUnterminated;
  }

  /** The number of lines whose rest was left out. */
  public long tooLongCount() {
    return tooLong;
  }
}
