// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A growing byte array with the primitives of the block formats. Not thread-safe. */
public final class WireWriter {
  private static final int INITIAL_BYTES = 16_384;
  private static final int MAX_VARINT_BYTES = 10;

  /**
   * The memory kept between uses, limited so that one long block does not retain memory forever.
   */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  /**
   * The first of the private code points for surrogates without a pair. They take 4 bytes, so that
   * a text never takes more than 4 per character.
   */
  private static final int PRIVATE_SURROGATES = 0x10F800;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int length;

  /** A writer without bytes. */
  public WireWriter() {}

  /** The number of bytes so far. */
  public int length() {
    return length;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Discards the written bytes. */
  public void clear() {
    length = 0;
    if (bytes.length > MAX_KEPT_BYTES) {
      bytes = new byte[INITIAL_BYTES];
    }
  }

  /** A copy of the bytes so far. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, length);
  }

  private void ensure(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }

  /** Adds the lowest eight bits. */
  public void putByte(int value) {
    ensure(1);
    bytes[length++] = (byte) value;
  }

  void putInt(int value) {
    setInt(reserve(Integer.BYTES), value);
  }

  /** Reserves bytes for {@link #setInt} and similar methods, and returns their position. */
  int reserve(int count) {
    ensure(count);
    length += count;
    return length - count;
  }

  void setInt(int position, int value) {
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes[position + i] = (byte) (value >>> (24 - 8 * i));
    }
  }

  /** Adds a number in 8 bytes, the highest first. */
  public void putLong(long value) {
    putInt((int) (value >>> 32));
    putInt((int) value);
  }

  /** Seven bits per byte, the lowest first; the top bit indicates that more follow. */
  public void putVarint(long value) {
    ensure(MAX_VARINT_BYTES);
    while ((value & ~0x7FL) != 0) {
      bytes[length++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    bytes[length++] = (byte) value;
  }

  /** A signed number, usually of small magnitude. */
  public void putZigzag(long value) {
    putVarint(value << 1 ^ value >> 63);
  }

  /**
   * Adds a text: its length in bytes and UTF-8. A surrogate without its pair, which UTF-8 cannot
   * express, becomes a private code point of its own, so that texts that differ remain different.
   */
  public void putText(String text) {
    if (putAscii(text)) {
      return;
    }
    byte[] utf8 = paired(text).getBytes(StandardCharsets.UTF_8);
    putVarint(utf8.length);
    putBytes(utf8);
  }

  /** Adds a text as {@link #putText} does if it is in ASCII, as nearly all are; else nothing. */
  private boolean putAscii(String text) {
    int start = length;
    int count = text.length();
    ensure(MAX_VARINT_BYTES + count);
    putVarint(count);
    byte[] to = bytes;
    int at = length;
    for (int i = 0; i < count; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        length = start;
        return false;
      }
      to[at + i] = (byte) c;
    }
    length += count;
    return true;
  }

  /** Adds bytes as they are. */
  public void putBytes(byte[] more) {
    ensure(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
  }

  private static String paired(String text) {
    int position = loneSurrogate(text, 0);
    if (position == text.length()) {
      return text;
    }
    StringBuilder paired = new StringBuilder(text.length() + 4);
    int copied = 0;
    while (position < text.length()) {
      int surrogate = text.charAt(position) - Character.MIN_SURROGATE;
      paired.append(text, copied, position).appendCodePoint(PRIVATE_SURROGATES + surrogate);
      copied = position + 1;
      position = loneSurrogate(text, copied);
    }
    return paired.append(text, copied, text.length()).toString();
  }

  /** The position of the first surrogate without its pair, or the text's length. */
  private static int loneSurrogate(String text, int from) {
    int position = from;
    while (position < text.length()) {
      int codePoint = text.codePointAt(position);
      if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
        return position;
      }
      position += Character.charCount(codePoint);
    }
    return position;
  }

  void putTexts(List<String> texts) {
    putVarint(texts.size());
    texts.forEach(this::putText);
  }
}
