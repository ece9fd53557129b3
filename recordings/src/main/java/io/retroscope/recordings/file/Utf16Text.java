// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/**
 * The bytes in UTF-8 of a text in UTF-16, as some programs of Windows write it. Anything that is no
 * UTF-16 is replaced. Used by one thread.
 */
final class Utf16Text extends InputStream {
  /** The number of bytes of a byte order mark. */
  static final int MARK_BYTES = 2;

  private static final int CHARS = 1 << 13;

  private final Reader in;
  private final char[] chars = new char[CHARS];

  private byte[] bytes = {};
  private int position;

  /** A text that begins with its byte order mark. */
  Utf16Text(InputStream in) {
    this.in = new InputStreamReader(in, StandardCharsets.UTF_16);
  }

  /** Whether bytes are a byte order mark. */
  static boolean isMarked(byte[] start) {
    return start.length >= MARK_BYTES
        && ((start[0] == (byte) 0xFE && start[1] == (byte) 0xFF)
            || (start[0] == (byte) 0xFF && start[1] == (byte) 0xFE));
  }

  @Override
  public int read() throws IOException {
    return isFilled() ? bytes[position++] & 0xFF : -1;
  }

  @Override
  public int read(byte[] to, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!isFilled()) {
      return -1;
    }
    int count = Math.min(length, bytes.length - position);
    System.arraycopy(bytes, position, to, from, count);
    position += count;
    return count;
  }

  /** Makes sure that there is a next byte; false at the end. */
  private boolean isFilled() throws IOException {
    while (position == bytes.length) {
      // A reader of many characters does not end within a pair of them.
      int count = in.read(chars, 0, CHARS);
      if (count < 0) {
        return false;
      }
      bytes = new String(chars, 0, count).getBytes(StandardCharsets.UTF_8);
      position = 0;
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
