// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/** The members of a gzip file, one after the other. Used by one thread. */
final class GzipMembers extends GZIPInputStream {
  private static final int TRAILER_BYTES = 8;

  GzipMembers(InputStream in, int bufferBytes) throws IOException {
    super(in, bufferBytes);
  }

  /**
   * At the end: the number of bytes after the last member that are no member; zeros are padding.
   */
  long unreadBytes() throws IOException {
    long count = 0;
    boolean isPadding = true;
    int buffered = Math.max(0, inf.getRemaining() - TRAILER_BYTES);
    for (int i = len - buffered; i < len; i++) {
      count++;
      isPadding &= buf[i] == 0;
    }
    for (int b = in.read(); b >= 0; b = in.read()) {
      count++;
      isPadding &= b == 0;
    }
    return isPadding ? 0 : count;
  }
}
