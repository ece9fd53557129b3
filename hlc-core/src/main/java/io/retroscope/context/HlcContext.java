package io.retroscope.context;

import io.retroscope.clock.HlcTimestamp;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Puts a stamp on whatever goes from one process to another, and takes it off at the other end.
 * Thread-safe.
 *
 * <p>In text it is the header {@code x-hlc: <micros>.<logical>}; in bytes it is 8 of them,
 * big-endian, {@code micros << 12 | logical}. What arrives is not trusted: anything unreadable
 * counts as absent, for a peer's bad header is no reason to fail a request. How far ahead a stamp
 * may be is the clock's business ({@code maxOffset}).
 */
public final class HlcContext {
  /** The header's name, in lower case, which every carrier takes. */
  public static final String HEADER = "x-hlc";

  /** How many bytes carry a stamp. */
  public static final int BYTE_COUNT = Long.BYTES;

  /** The longest header that can be a stamp; longer ones are not even looked at. */
  private static final int MAX_TEXT_LENGTH = 32;

  private HlcContext() {}

  /**
   * Writes a header into a carrier.
   *
   * @param <C> the carrier: a request, a map of headers
   */
  @FunctionalInterface
  public interface Setter<C> {
    /** Replaces the header of that name. */
    void set(C carrier, String name, String value);
  }

  /**
   * Reads a header from a carrier.
   *
   * @param <C> the carrier: a request, a map of headers
   */
  @FunctionalInterface
  public interface Getter<C> {
    /** The header's value, null where there is none. */
    @Nullable String get(C carrier, String name);
  }

  /** Puts a packed stamp into the carrier's header. */
  public static <C> void inject(long hlc, C carrier, Setter<C> setter) {
    setter.set(carrier, HEADER, HlcTimestamp.text(hlc));
  }

  /** The packed stamp in the carrier's header; empty where there is none or it cannot be read. */
  public static <C> OptionalLong extract(C carrier, Getter<C> getter) {
    return parse(getter.get(carrier, HEADER));
  }

  /** The packed stamp that a header's value holds; empty where it holds none. */
  public static OptionalLong parse(@Nullable String value) {
    if (value == null || value.length() > MAX_TEXT_LENGTH) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(HlcTimestamp.parse(value.strip()));
    } catch (IllegalArgumentException e) {
      return OptionalLong.empty();
    }
  }

  /** The bytes that carry a packed stamp. */
  public static byte[] toBytes(long hlc) {
    return ByteBuffer.allocate(BYTE_COUNT).putLong(HlcTimestamp.toWire(hlc)).array();
  }

  /** The packed stamp that the bytes carry; empty unless there are exactly {@link #BYTE_COUNT}. */
  public static OptionalLong fromBytes(byte @Nullable [] bytes) {
    return bytes == null || bytes.length != BYTE_COUNT
        ? OptionalLong.empty()
        : OptionalLong.of(HlcTimestamp.fromWire(ByteBuffer.wrap(bytes).getLong()));
  }
}
