// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The whole blocks of zstd frames that are cut off or damaged: each frame is ended properly, and
 * has no checksum. Used by one thread.
 *
 * <p>A decompressor keeps a window of what it has decoded until the frame ends, and passes nothing
 * of it on if it fails before.
 */
final class ZstdRepair extends InputStream {
  private static final byte[] MAGIC = {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd};
  private static final byte[] LAST_EMPTY_BLOCK = {1, 0, 0};
  private static final int BLOCK_HEADER_BYTES = 3;
  private static final int CHECKSUM_BYTES = 4;
  private static final int HAS_CHECKSUM = 4;
  private static final int RLE = 1;
  private static final int RESERVED = 3;

  private final InputStream in;
  private byte[] chunk = {};
  private int position;
  private boolean inFrame;
  private boolean hasChecksum;
  private boolean ended;

  /** The blocks of a stream that begins with a frame. */
  ZstdRepair(InputStream in) {
    this.in = in;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] to, int from, int length) throws IOException {
    while (position == chunk.length && !ended) {
      position = 0;
      chunk = inFrame ? nextBlock() : nextFrame();
    }
    if (position == chunk.length) {
      return -1;
    }
    int count = Math.min(length, chunk.length - position);
    System.arraycopy(chunk, position, to, from, count);
    position += count;
    return count;
  }

  /** Reads the beginning of a frame, up to its first block; what has another form ends the data. */
  private byte[] nextFrame() throws IOException {
    byte[] magic = in.readNBytes(MAGIC.length);
    byte[] descriptor = in.readNBytes(1);
    if (!Arrays.equals(magic, MAGIC) || descriptor.length == 0) {
      ended = true;
      return new byte[0];
    }
    byte[] rest = in.readNBytes(headerBytes(descriptor[0]) - 1);
    if (rest.length < headerBytes(descriptor[0]) - 1) {
      ended = true;
      return new byte[0];
    }
    inFrame = true;
    hasChecksum = (descriptor[0] & HAS_CHECKSUM) != 0;
    descriptor[0] = (byte) (descriptor[0] & ~HAS_CHECKSUM);
    return joined(joined(magic, descriptor), rest);
  }

  /** The length of a frame's header by its first byte, which it includes. */
  private static int headerBytes(byte descriptor) {
    boolean isSingle = (descriptor & 0x20) != 0;
    int dictionary = descriptor & 3;
    int size = (descriptor & 0xFF) >> 6;
    return 1
        + (isSingle ? 0 : 1)
        + (dictionary == 0 ? 0 : 1 << (dictionary - 1))
        + (size == 0 ? (isSingle ? 1 : 0) : 1 << size);
  }

  private byte[] nextBlock() throws IOException {
    byte[] header = in.readNBytes(BLOCK_HEADER_BYTES);
    if (header.length < BLOCK_HEADER_BYTES) {
      return lastBlock();
    }
    int bits = (header[0] & 0xFF) | (header[1] & 0xFF) << 8 | (header[2] & 0xFF) << 16;
    int type = (bits >> 1) & 3;
    int size = type == RLE ? 1 : bits >> 3;
    byte[] content = type == RESERVED ? new byte[0] : in.readNBytes(size);
    if (content.length < size) {
      return lastBlock();
    }
    boolean isLast = (bits & 1) != 0;
    if (isLast) {
      inFrame = false;
      in.readNBytes(hasChecksum ? CHECKSUM_BYTES : 0);
    }
    return joined(header, content);
  }

  private byte[] lastBlock() {
    inFrame = false;
    ended = true;
    return LAST_EMPTY_BLOCK;
  }

  private static byte[] joined(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
