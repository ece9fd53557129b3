package io.retroscope.rql.client;

import java.io.BufferedInputStream;
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
  private byte[] line = new byte[1024];

  /** Creates a reader of a stream, which is closed with this. */
  public LineInput(InputStream in) {
    this.in = new BufferedInputStream(in, 64 * 1024);
  }

  /**
   * Reads the next line without its end; empty at the end.
   *
   * @throws IOException if the stream fails or the line is too long
   */
  public Optional<String> next() throws IOException {
    int length = 0;
    int b = in.read();
    if (b < 0) {
      return Optional.empty();
    }
    while (b >= 0 && b != '\n') {
      if (length == MAX_LINE_BYTES) {
        throw new IOException("a line of the response is longer than " + MAX_LINE_BYTES + " bytes");
      }
      if (length == line.length) {
        line = Arrays.copyOf(line, 2 * length);
      }
      line[length++] = (byte) b;
      b = in.read();
    }
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    return Optional.of(new String(line, 0, length, StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
