// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** A reader of UTF-8 lines that end in LF or CRLF, with a maximum length. Used by one thread. */
public final class LineInput implements AutoCloseable {
  /** The maximum length of a line, which suffices for a row with a collection of 100,000 nodes. */
  static final int MAX_LINE_BYTES = 16 << 20;

  private final InputStream in;
  private final byte[] buffer = new byte[64 * 1024];
  private int from;
  private int to;

  /** The part of a line that was in earlier buffers. */
  private byte[] begun = new byte[1024];

  /* The line that was read last. */
  private byte[] line = buffer;
  private int start;
  private int end;

  /** Creates a reader of a stream, which is closed with this. */
  public LineInput(InputStream in) {
    this.in = in;
  }

  /**
   * Reads the next line without its end; empty at the end.
   *
   * @throws IOException if the stream fails or the line is too long
   */
  public Optional<String> next() throws IOException {
    return advance() ? Optional.of(text()) : Optional.empty();
  }

  /**
   * Reads the next line, which {@link #text} returns as often as it is called.
   *
   * @return false at the end
   * @throws IOException if the stream fails or the line is too long
   */
  public boolean advance() throws IOException {
    int length = 0;
    while (from < to || fill()) {
      int begin = from;
      from = lineEnd();
      boolean isWhole = from < to;
      if (isWhole && length == 0) {
        show(buffer, begin, from++);
        return true;
      }
      length = append(begin, from, length);
      if (isWhole) {
        from++;
        show(begun, 0, length);
        return true;
      }
    }
    show(begun, 0, length);
    return length > 0;
  }

  /** The text of the line that was read last. */
  public String text() {
    return new String(line, start, end - start, StandardCharsets.UTF_8);
  }

  /** The array that contains the line that was read last; valid until the next one is read. */
  public byte[] bytes() {
    return line;
  }

  /** The place in {@link #bytes} where the line starts. */
  public int start() {
    return start;
  }

  /** The place in {@link #bytes} where the line ends, exclusive. */
  public int end() {
    return end;
  }

  private int lineEnd() {
    byte[] bytes = buffer;
    int limit = to;
    int at = from;
    while (at < limit && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  private void show(byte[] bytes, int first, int last) {
    line = bytes;
    start = first;
    end = last > first && bytes[last - 1] == '\r' ? last - 1 : last;
  }

  private boolean fill() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }

  /** Appends a part of a line to those before it; returns their length. */
  private int append(int first, int last, int length) throws IOException {
    int all = length + last - first;
    if (all > MAX_LINE_BYTES) {
      throw new IOException("a line of the response is longer than " + MAX_LINE_BYTES + " bytes");
    }
    if (all > begun.length) {
      begun = Arrays.copyOf(begun, Math.max(all, 2 * begun.length));
    }
    System.arraycopy(buffer, first, begun, length, last - first);
    return all;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
