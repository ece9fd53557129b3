// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One column family of the database, with the codecs of its keys and values. Immutable.
 *
 * @param family the name of the column family
 * @param <K> keys; the order of their bytes is the order of iteration
 * @param <V> values
 */
public record Table<K, V>(String family, KeyCodec<K> keys, ValueCodec<K, V> values) {
  /** Turns a key or a value into bytes. */
  interface Encoder<T> {
    byte[] encode(T value);
  }

  /** Reads a key; throws any exception if the bytes are not a key. */
  interface KeyDecoder<K> {
    K decode(ByteBuffer in);
  }

  /** Reads the value of a key; throws any exception if the bytes are not a value. */
  interface ValueDecoder<K, V> {
    V decode(K key, byte[] bytes) throws IOException;
  }

  record KeyCodec<K>(Encoder<K> encoder, KeyDecoder<K> decoder) {}

  record ValueCodec<K, V>(Encoder<V> encoder, ValueDecoder<K, V> decoder) {}

  @Override
  public String toString() {
    return family;
  }

  public byte[] keyBytes(K key) {
    return keys.encoder.encode(key);
  }

  public byte[] valueBytes(V value) {
    return values.encoder.encode(value);
  }

  /**
   * Reads a key.
   *
   * @throws IOException if the bytes are not a key of this table
   */
  K key(byte[] bytes) throws IOException {
    try {
      return keys.decoder.decode(ByteBuffer.wrap(bytes));
    } catch (RuntimeException e) {
      throw new IOException("a key of %d bytes in %s: %s".formatted(bytes.length, family, e), e);
    }
  }

  /**
   * Reads the value of a key.
   *
   * @throws IOException if the bytes are not a value of this table
   */
  V value(K key, byte[] bytes) throws IOException {
    try {
      return values.decoder.decode(key, bytes);
    } catch (IOException | RuntimeException e) {
      throw new IOException("%s of %s: %s".formatted(family, key, e.getMessage()), e);
    }
  }
}
