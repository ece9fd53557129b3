package io.retroscope.server.ingest;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes that were read. Used by one thread. */
final class CountingInputStream extends FilterInputStream {
  private long count;

  CountingInputStream(InputStream in) {
    super(in);
  }

  long count() {
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
