package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The bytes of the database's keys: numbers are 8 bytes, big-endian, stamps in their wire form, a
 * text is its length in 2 bytes and its UTF-8.
 */
final class StoreKeys {
  private static final int CHECKSUM_BYTES = 16;

  private StoreKeys() {}

  static byte[] id(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  static long id(byte[] key) {
    return ByteBuffer.wrap(key).getLong();
  }

  static byte[] incarnation(Incarnation.Name name) {
    return texts(name.node(), name.incarnation(), 0).array();
  }

  static Incarnation.Name incarnation(byte[] key) {
    ByteBuffer in = ByteBuffer.wrap(key);
    return new Incarnation.Name(text(in), text(in));
  }

  static byte[] number(Incarnation.Name name, long number) {
    return texts(name.node(), name.incarnation(), Long.BYTES).putLong(number).array();
  }

  static byte[] lost(Incarnation.Name name, long firstNumber, long lastNumber) {
    return texts(name.node(), name.incarnation(), 2 * Long.BYTES)
        .putLong(firstNumber)
        .putLong(lastNumber)
        .array();
  }

  static byte[] lifetime(String node, long from) {
    byte[] utf8 = node.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Short.BYTES + utf8.length + Long.BYTES)
        .putShort((short) utf8.length)
        .put(utf8)
        .putLong(HlcTimestamp.toWire(from))
        .array();
  }

  /** A lifetime as it is stored. */
  record NodeLifetime(String node, Lifetimes.Lifetime lifetime) {}

  /** The promise is left out where the node made none, and by older programs. */
  static NodeLifetime lifetime(byte[] key, byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(key);
    String node = text(in);
    long from = HlcTimestamp.fromWire(in.getLong());
    ByteBuffer end = ByteBuffer.wrap(value);
    HlcRange range = new HlcRange(from, HlcTimestamp.fromWire(end.getLong()));
    long promiseMicros = end.hasRemaining() ? end.getLong() : 0;
    return new NodeLifetime(node, new Lifetimes.Lifetime(range, promiseMicros));
  }

  static byte[] lifetimeEnd(Lifetimes.Lifetime lifetime) {
    boolean promises = lifetime.promiseMicros() > 0;
    ByteBuffer out = ByteBuffer.allocate(promises ? 2 * Long.BYTES : Long.BYTES);
    out.putLong(HlcTimestamp.toWire(lifetime.range().to()));
    if (promises) {
      out.putLong(lifetime.promiseMicros());
    }
    return out.array();
  }

  static byte[] position(String source) {
    return source.getBytes(StandardCharsets.UTF_8);
  }

  static byte[] position(SourcePosition position) {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
        .putLong(position.next())
        .putInt(position.epoch())
        .array();
  }

  static SourcePosition position(byte[] key, byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    return new SourcePosition(new String(key, StandardCharsets.UTF_8), in.getLong(), in.getInt());
  }

  /** Tells two contents apart. */
  static byte[] checksum(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return Arrays.copyOf(digest, CHECKSUM_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private static ByteBuffer texts(String a, String b, int moreBytes) {
    byte[] first = a.getBytes(StandardCharsets.UTF_8);
    byte[] second = b.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 * Short.BYTES + first.length + second.length + moreBytes)
        .putShort((short) first.length)
        .put(first)
        .putShort((short) second.length)
        .put(second);
  }

  private static String text(ByteBuffer in) {
    byte[] utf8 = new byte[Short.toUnsignedInt(in.getShort())];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
