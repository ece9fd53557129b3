// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that counts the bytes that were read from it. Used by one thread. */
final class CountedInput extends FilterInputStream {
  private long count;

  CountedInput(InputStream in) {
    super(in);
  }

  /** The number of bytes so far. */
  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    count += b < 0 ? 0 : 1;
    return b;
  }

  @Override
  public int read(byte[] to, int from, int length) throws IOException {
    int read = super.read(to, from, length);
    count += Math.max(0, read);
    return read;
  }
}
