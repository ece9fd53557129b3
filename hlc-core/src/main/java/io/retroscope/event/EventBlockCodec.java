// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The codec of frames. A frame contains its length, so that frames can be concatenated in a file or
 * a request. Thread-safe.
 *
 * <p>Input is not trusted: damaged, truncated, oversized and unknown input results in a {@link
 * CorruptBlockException} and never allocates more than the limits here allow. The format is
 * described in {@code docs/format/blocks.md}.
 */
public final class EventBlockCodec {
  /*
   *    0        4        5        6        7        8        12                 12 + n    16 + n
   *   +--------+--------+--------+--------+--------+--------+------------------+---------+
   *   | "RTSB" | version| type   | flags  | 0      | length | payload          | CRC-32C |
   *   |        | 1      | 1, 2   | 0      |        | n      | n bytes          |         |
   *   +--------+--------+--------+--------+--------+--------+------------------+---------+
   *
   * Integers are big-endian; the checksum covers everything before it. Type 1 is a block with the
   * payload described in PayloadWriter, type 2 is the notice of lost blocks. The flags are
   * reserved, for example for a compressed payload; a reader that does not know a flag refuses the
   * frame.
   */

  /** The media type of concatenated frames. */
  public static final String CONTENT_TYPE = "application/vnd.retroscope.blocks";

  /** The longest payload, in bytes. */
  public static final int MAX_PAYLOAD_BYTES = 32 << 20;

  /** The maximum nesting depth of sets and structs. */
  public static final int MAX_NESTING = 64;

  /** The only version of the format so far. */
  public static final int VERSION = 1;

  static final int MAGIC = 'R' << 24 | 'T' << 16 | 'S' << 8 | 'B';
  static final int TYPE_BLOCK = 1;
  static final int TYPE_LOST = 2;
  static final int HEADER_BYTES = 12;
  static final int LENGTH_POSITION = 8;
  private static final int CHECKSUM_BYTES = 4;

  private EventBlockCodec() {}

  /**
   * The frame as bytes.
   *
   * @throws IllegalArgumentException if it would be longer than {@link #MAX_PAYLOAD_BYTES}
   */
  public static byte[] encode(BlockFrame frame) {
    return new BlockEncoder().write(frame).toByteArray();
  }

  /** Whether the bytes start with a frame's magic number. */
  public static boolean isFrame(byte[] bytes) {
    return bytes.length >= Integer.BYTES && ByteBuffer.wrap(bytes).getInt() == MAGIC;
  }

  /**
   * Decodes all the frames of an array.
   *
   * @throws CorruptBlockException if any is damaged; its position counts from the array's start
   */
  public static List<BlockFrame> decodeAll(byte[] bytes) throws CorruptBlockException {
    List<BlockFrame> frames = new ArrayList<>();
    int position = 0;
    while (position < bytes.length) {
      int length = payloadLength(bytes, position, position);
      frames.add(decode(bytes, position, length, position));
      position += HEADER_BYTES + length + CHECKSUM_BYTES;
    }
    return frames;
  }

  /**
   * Decodes an array that consists of one block.
   *
   * @throws CorruptBlockException if it is damaged, not a block of events, or followed by more
   *     bytes
   */
  public static EventBlock decodeBlock(byte[] bytes) throws CorruptBlockException {
    List<BlockFrame> frames = decodeAll(bytes);
    if (frames.size() == 1 && frames.get(0) instanceof EventBlock block) {
      return block;
    }
    throw new CorruptBlockException(0, "not exactly one block of events");
  }

  /**
   * Decodes the block of events that begins in an array.
   *
   * @param start where it begins
   * @throws CorruptBlockException if it is damaged, or not a block of events
   */
  public static EventBlock decodeBlockAt(byte[] bytes, int start) throws CorruptBlockException {
    BlockFrame frame = decode(bytes, start, payloadLength(bytes, start, start), start);
    if (frame instanceof EventBlock block) {
      return block;
    }
    throw new CorruptBlockException(start, "not a block of events");
  }

  /**
   * Reads the next frame of a stream.
   *
   * @param position of the stream so far, for messages
   * @return empty at the end of the stream
   * @throws CorruptBlockException if the frame is damaged or the stream ends within it
   * @throws IOException if the stream cannot be read
   */
  public static Optional<BlockFrame> read(InputStream in, long position) throws IOException {
    byte[] header = in.readNBytes(HEADER_BYTES);
    if (header.length == 0) {
      return Optional.empty();
    }
    int length = payloadLength(header, 0, position);
    byte[] rest = in.readNBytes(length + CHECKSUM_BYTES);
    byte[] frame = Arrays.copyOf(header, HEADER_BYTES + rest.length);
    System.arraycopy(rest, 0, frame, HEADER_BYTES, rest.length);
    return Optional.of(decode(frame, 0, length, position));
  }

  /**
   * How much memory a frame will take when it is decoded, in bytes, found without taking it:
   * roughly what {@link EventBlock#memoryBytes} says afterwards, and never less.
   *
   * @param start where the frame begins
   * @throws CorruptBlockException if the frame is damaged where its size is written
   */
  public static long decodedBytes(byte[] bytes, int start) throws CorruptBlockException {
    int length = payloadLength(bytes, start, start);
    int end = start + HEADER_BYTES + length;
    if (bytes.length < end) {
      throw new CorruptBlockException(start, "truncated: the frame needs " + length + " bytes");
    }
    return bytes[start + 5] == TYPE_BLOCK
        ? PayloadReader.decodedBytes(new WireReader(bytes, start + HEADER_BYTES, end, 0))
        : HEADER_BYTES + length;
  }

  /** Checks the header at {@code start} and returns the length of the payload that follows it. */
  private static int payloadLength(byte[] bytes, int start, long position)
      throws CorruptBlockException {
    if (bytes.length - start < HEADER_BYTES) {
      throw new CorruptBlockException(
          position, "truncated: " + (bytes.length - start) + " bytes of a header");
    }
    ByteBuffer header = ByteBuffer.wrap(bytes, start, HEADER_BYTES);
    if (header.getInt() != MAGIC) {
      throw new CorruptBlockException(position, "not a Retroscope block");
    }
    int version = header.get();
    if (version != VERSION) {
      throw new CorruptBlockException(
          position, "format version " + version + "; this program reads version " + VERSION);
    }
    int type = header.get();
    int flags = header.getShort();
    if ((type != TYPE_BLOCK && type != TYPE_LOST) || flags != 0) {
      throw new CorruptBlockException(
          position, "unknown type " + type + " or flags " + flags + " of a frame");
    }
    int length = header.getInt();
    if (length < 0 || length > MAX_PAYLOAD_BYTES) {
      throw new CorruptBlockException(
          position, "payload of " + Integer.toUnsignedString(length) + " bytes is too long");
    }
    return length;
  }

  private static BlockFrame decode(byte[] bytes, int start, int length, long position)
      throws CorruptBlockException {
    int end = start + HEADER_BYTES + length;
    if (bytes.length - end < CHECKSUM_BYTES) {
      throw new CorruptBlockException(
          position, "truncated: the frame needs " + (HEADER_BYTES + length + CHECKSUM_BYTES));
    }
    int stored = ByteBuffer.wrap(bytes, end, CHECKSUM_BYTES).getInt();
    if (stored != checksum(bytes, start, end)) {
      throw new CorruptBlockException(position, "the checksum does not match");
    }
    WireReader in = new WireReader(bytes, start + HEADER_BYTES, end, position - start);
    return bytes[start + 5] == TYPE_BLOCK ? new PayloadReader(in).read() : readLost(in);
  }

  static int checksum(byte[] bytes, int start, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, end - start);
    return (int) crc.getValue();
  }

  private static LostBlocks readLost(WireReader in) throws CorruptBlockException {
    try {
      return new LostBlocks(
          in.getText(),
          in.getText(),
          in.getVarint(),
          in.getVarint(),
          in.getVarint(),
          HlcTimestamp.fromWire(in.getLong()),
          HlcTimestamp.fromWire(in.getLong()));
    } catch (IllegalArgumentException e) {
      throw in.corrupt(String.valueOf(e.getMessage()));
    }
  }
}
