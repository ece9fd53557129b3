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
    int length = 0;
    while (from < to || fill()) {
      int start = from;
      while (from < to && buffer[from] != '\n') {
        from++;
      }
      boolean isWhole = from < to;
      if (isWhole && length == 0) {
        return Optional.of(text(buffer, start, from++));
      }
      length = append(start, from, length);
      if (isWhole) {
        from++;
        return Optional.of(text(begun, 0, length));
      }
    }
    return length == 0 ? Optional.empty() : Optional.of(text(begun, 0, length));
  }

  private boolean fill() throws IOException {
    from = 0;
    to = Math.max(0, in.read(buffer));
    return to > 0;
  }

  /** Appends a part of a line to those before it; returns their length. */
  private int append(int start, int end, int length) throws IOException {
    int all = length + end - start;
    if (all > MAX_LINE_BYTES) {
      throw new IOException("a line of the response is longer than " + MAX_LINE_BYTES + " bytes");
    }
    if (all > begun.length) {
      begun = Arrays.copyOf(begun, Math.max(all, 2 * begun.length));
    }
    System.arraycopy(buffer, start, begun, length, end - start);
    return all;
  }

  private static String text(byte[] bytes, int start, int end) {
    boolean hasReturn = end > start && bytes[end - 1] == '\r';
    return new String(bytes, start, end - start - (hasReturn ? 1 : 0), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
