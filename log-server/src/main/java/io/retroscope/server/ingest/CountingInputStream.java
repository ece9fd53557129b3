package io.retroscope.server.ingest;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes that were read. Used by one thread. */
public final class CountingInputStream extends FilterInputStream {
  private long count;

  /** A stream that hands on another. */
  public CountingInputStream(InputStream in) {
    super(in);
  }

  /** Bytes so far. */
  public long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    count += read < 0 ? 0 : 1;
    return read;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    int read = super.read(bytes, from, length);
    count += Math.max(read, 0);
    return read;
  }
}
