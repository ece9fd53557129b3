// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A reader of the primitives of the block formats. Every length is checked against the remaining
 * bytes before memory of that size is allocated. Not thread-safe.
 *
 * <p>Every method that reads throws a {@link CorruptBlockException} with the position of the damage
 * if the bytes end too early or are out of range.
 */
public final class WireReader {
  private static final int MAX_VARINT_BYTES = 10;

  private final byte[] bytes;
  private final long base;
  private final int end;
  private int position;

  /**
   * A reader of {@code bytes[start, end)}.
   *
   * @param base the position of {@code bytes[0]} in the input, for messages
   * @throws IndexOutOfBoundsException if that is not a part of the array
   */
  public WireReader(byte[] bytes, int start, int end, long base) {
    Objects.checkFromToIndex(start, end, bytes.length);
    this.bytes = bytes;
    this.position = start;
    this.end = end;
    this.base = base;
  }

  /** The number of bytes that are left. */
  public int remaining() {
    return end - position;
  }

  /** The index in the array of the next byte. */
  public int position() {
    return position;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Passes over bytes, which must not be negative in number. */
  void skip(int count, String what) throws CorruptBlockException {
    if (count > remaining()) {
      throw corrupt(what + " needs " + count + " bytes, but only " + remaining() + " are left");
    }
    position += count;
  }

  /** The exception for damage at the present position. */
  public CorruptBlockException corrupt(String reason) {
    return new CorruptBlockException(base + position, reason);
  }

  /** The next byte, 0 to 255. */
  public int getByte() throws CorruptBlockException {
    if (position == end) {
      throw corrupt("the payload ends too early");
    }
    return bytes[position++] & 0xFF;
  }

  /** A number in 8 bytes, the highest first. */
  public long getLong() throws CorruptBlockException {
    if (remaining() < Long.BYTES) {
      throw corrupt("the payload ends too early");
    }
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << 8 | (bytes[position++] & 0xFF);
    }
    return value;
  }

  /** A number of seven bits per byte, the lowest first. */
  public long getVarint() throws CorruptBlockException {
    // Most numbers in a block take one byte.
    return position < end && bytes[position] >= 0 ? bytes[position++] : getLongVarint();
  }

  private long getLongVarint() throws CorruptBlockException {
    long value = 0;
    int at = position;
    for (int shift = 0; shift < Long.SIZE && at < end; shift += 7) {
      byte part = bytes[at++];
      value |= (part & 0x7FL) << shift;
      if (part >= 0) {
        position = at;
        return value;
      }
    }
    boolean endsEarly = at - position < MAX_VARINT_BYTES;
    position = at;
    throw corrupt(endsEarly ? "the payload ends too early" : "a number is longer than 10 bytes");
  }

  /** A signed number, as a varint of {@code n << 1 ^ n >> 63}. */
  public long getZigzag() throws CorruptBlockException {
    long raw = getVarint();
    return raw >>> 1 ^ -(raw & 1);
  }

  /** A number from 0 to {@code limit}, inclusive. */
  public int getBounded(String what, int limit) throws CorruptBlockException {
    long value = getVarint();
    if (value < 0 || value > limit) {
      throw corrupt(what + " " + Long.toUnsignedString(value) + " is above " + limit);
    }
    return (int) value;
  }

  /** The number of items that follow, each of which takes at least one byte. */
  public int getCount(String what) throws CorruptBlockException {
    long count = getVarint();
    if (count < 0 || count > remaining()) {
      throw corrupt(
          "number of %s %s is above %d".formatted(what, Long.toUnsignedString(count), remaining()));
    }
    return (int) count;
  }

  /** A text: its length in bytes and UTF-8. */
  public String getText() throws CorruptBlockException {
    int count = getTextLength();
    String text = new String(bytes, position, count, StandardCharsets.UTF_8);
    position += count;
    return text;
  }

  /** Passes over a text; returns its length in bytes. */
  int skipText() throws CorruptBlockException {
    int count = getTextLength();
    position += count;
    return count;
  }

  private int getTextLength() throws CorruptBlockException {
    int count = getCount("bytes in a text");
    if (count > remaining()) {
      throw corrupt("a text of " + count + " bytes, but only " + remaining() + " are left");
    }
    return count;
  }

  List<String> getTexts(String what) throws CorruptBlockException {
    int count = getCount(what);
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(getText());
    }
    return texts;
  }
}
