// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of many encoded blocks of one log whose rows each set one variable to a LONG, as most
 * blocks do. It fills columns that belong to its caller and creates no object for a block. Used by
 * one thread.
 *
 * <p>It understands the usual form of such blocks only. Whatever is damaged, unusual, or of another
 * kind is left to {@link EventBlockCodec}, which decodes it or says why it cannot.
 */
public final class LongBlockReader {
  /*
   * PayloadWriter describes the form. Of a block's dictionaries, which are nearly always those of an
   * earlier block, only the bytes are compared. All rows share one constant per column except for
   * the stamps and the numbers, so that the columns between them are a few fixed bytes. Physical
   * readings and sequence numbers are passed over; that they are well-formed is checked, so that
   * they can be decoded when a row is made.
   *
   * The loops may read beyond the end of a block, within PADDING, before they notice.
   */

  /** The result for a block that was not decoded. */
  public static final int OTHER = -1;

  /** The number of bytes that must follow a block in its array. */
  public static final int PADDING = 32;

  private static final VarHandle BIG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final long HEADER =
      ((long) EventBlockCodec.MAGIC << Integer.SIZE)
          | (long) EventBlockCodec.VERSION << 24
          | (long) EventBlockCodec.TYPE_BLOCK << 16;

  private static final int CHECKSUM_BYTES = 4;
  private static final int MAX_VARINT_BYTES = 10;
  private static final byte KIND = zigzag(EventKind.STATE_CHANGE.code());
  private static final byte ONE_CHANGE = zigzag(1);
  private static final byte SET = zigzag(EventBody.Operation.SET.code());
  private static final byte LONG = zigzag(ValueType.LONG.code());

  private final KnownSections known;
  private final CRC32C crc = new CRC32C();
  private byte[] bytes = new byte[0];
  private int at;
  private int end;
  private int run;
  private int count;
  private KnownSections.@Nullable Names names;
  private String variable = "";

  /** A reader of blocks with events of one log. */
  public LongBlockReader(String log) {
    known = new KnownSections(log);
  }

  /** The node of a run. */
  public String node(int index) {
    return known.run(index).node();
  }

  /** The incarnation of a run; empty if it is not known. */
  public String incarnation(int index) {
    return known.run(index).incarnation();
  }

  /** The index of the run of the block that began last. */
  public int run() {
    return run;
  }

  /** The index of a run, which is added if no block had it. */
  public int run(String node, String incarnation) {
    return known.run(node, incarnation);
  }

  /** The variable that the rows that were decoded last set. */
  public String variable() {
    return variable;
  }

  /**
   * Begins with a frame.
   *
   * @param in has at least {@link #PADDING} bytes after the frame
   * @param from where the frame begins
   * @param to where it ends
   * @return the number of rows; {@link #OTHER} if it cannot be decoded
   */
  public int begin(byte[] in, int from, int to) {
    bytes = in;
    if (!isValidFrame(in, from, to)) {
      return OTHER;
    }
    at = from + EventBlockCodec.HEADER_BYTES;
    end = to - CHECKSUM_BYTES;
    names = findNames();
    long size = names == null ? 0 : varint();
    boolean fits = size > 0 && size <= EventBlock.MAX_EVENTS && varint() == size;
    count = fits ? (int) size : OTHER;
    return count;
  }

  /**
   * Decodes the frame that has begun into the columns of its rows, of which it may change those
   * rows even if it cannot.
   *
   * @param stamps packed, to be filled from {@code first} on
   * @param numbers to be filled from {@code first} on
   * @return whether it was decoded
   */
  public boolean read(long[] stamps, long[] numbers, int first) {
    KnownSections.Names ofBlock = names;
    int last = first + count;
    return ofBlock != null
        && count > 0
        && readStamps(stamps, first, last)
        && skipColumn(count, true)
        && skipColumn(count, false)
        && readConstants(ofBlock)
        && readNumbers(numbers, first, last)
        && at == end;
  }

  private boolean isValidFrame(byte[] in, int from, int to) {
    int payload = to - from - EventBlockCodec.HEADER_BYTES - CHECKSUM_BYTES;
    if (payload < 0
        || payload > EventBlockCodec.MAX_PAYLOAD_BYTES
        || in.length - to < PADDING
        || (long) BIG.get(in, from) != HEADER
        || getInt(in, from + Long.BYTES) != payload) {
      return false;
    }
    crc.reset();
    crc.update(in, from, to - CHECKSUM_BYTES - from);
    return (int) crc.getValue() == getInt(in, to - CHECKSUM_BYTES);
  }

  private static int getInt(byte[] in, int from) {
    return (int) ((long) BIG.get(in, from) >>> Integer.SIZE);
  }

  private static byte zigzag(int cell) {
    return (byte) (cell << 1);
  }

  /** Reads everything before the counts; null if it is not understood. */
  private KnownSections.@Nullable Names findNames() {
    run = known.findRun(bytes, at, end);
    if (run == KnownSections.NONE) {
      return null;
    }
    at += known.run(run).length();
    long number = varint();
    at += Long.BYTES; // the heartbeat
    long lastSequence = at <= end ? varint() : OTHER;
    if (number < 0 || lastSequence < 0 || at > end) {
      return null;
    }
    KnownSections.Names found = known.findNames(run, bytes, at, end);
    if (found != null) {
      at += found.length();
    }
    return found;
  }

  /** The next varint; a negative number if it is too long or begins after the end. */
  private long varint() {
    if (at >= end) {
      return OTHER;
    }
    long value = bytes[at++];
    if (value >= 0) {
      return value;
    }
    value &= 0x7F;
    for (int shift = 7; shift < Long.SIZE && at < end; shift += 7) {
      long part = bytes[at++];
      value |= (part & 0x7F) << shift;
      if (part >= 0) {
        return value;
      }
    }
    at = end + 1; // so that the block is not accepted
    return OTHER;
  }

  private boolean readStamps(long[] stamps, int from, int to) {
    if (end - at < Long.BYTES) {
      return false;
    }
    byte[] in = bytes;
    long micros = (long) BIG.get(in, at);
    int next = at + Long.BYTES;
    long before = HlcTimestamp.MIN_PACKED;
    for (int i = from; i < to; i++) {
      if (next >= end) {
        return false;
      }
      long code = in[next++];
      if (code < 0) {
        byte high = in[next++];
        code = (code & 0x7F) | ((long) high << 7);
        if (high < 0) {
          at = next - 2;
          code = varint();
          next = at;
        }
      }
      micros += code >>> 1;
      if (micros < 0 || micros > HlcTimestamp.MAX_MICROS) {
        return false;
      }
      long logical = 0;
      if ((code & 1) != 0) {
        at = next;
        logical = varint();
        next = at;
        if (logical < 0 || logical > HlcTimestamp.MAX_LOGICAL) {
          return false;
        }
      }
      long hlc = HlcTimestamp.pack(micros, (int) logical);
      if (hlc < before) {
        return false;
      }
      stamps[i] = hlc;
      before = hlc;
    }
    at = next;
    return next <= end;
  }

  /** Passes over a column of any numbers. */
  private boolean skipColumn(int count, boolean mayBeAbsent) {
    if (at >= end) {
      return false;
    }
    int mode = bytes[at++];
    if (mode == PayloadWriter.ABSENT) {
      return mayBeAbsent;
    }
    return mode == PayloadWriter.CONSTANT
        ? skipVarints(1)
        : mode == PayloadWriter.PLAIN && skipVarints(count);
  }

  private boolean skipVarints(int count) {
    byte[] in = bytes;
    int next = at;
    int start = next;
    int last = end;
    for (int left = count; left > 0 && next < last; next++) {
      if (in[next] >= 0) {
        if (next - start >= MAX_VARINT_BYTES) {
          return false;
        }
        start = next + 1;
        left--;
        if (left == 0) {
          at = next + 1;
          return true;
        }
      }
    }
    return false;
  }

  /** Reads the columns between the sequence numbers and the values. */
  private boolean readConstants(KnownSections.Names ofBlock) {
    int next = at;
    if (end - next < 14) {
      return false;
    }
    boolean fits =
        isConstant(next, KIND)
            && isConstant(next + 2, (byte) 0)
            && isConstant(next + 4, zigzag(ofBlock.logIndex()))
            && isConstant(next + 6, ONE_CHANGE)
            && isConstant(next + 8, SET)
            && bytes[next + 10] == PayloadWriter.CONSTANT
            && isConstant(next + 12, LONG);
    int cell = bytes[next + 11];
    int name = (cell >> 1) - 1;
    if (!fits || (cell & 1) != 0 || name < 0 || name >= ofBlock.variables().length) {
      return false;
    }
    variable = ofBlock.variables()[name];
    at = next + 14;
    return true;
  }

  private boolean isConstant(int column, byte cell) {
    return bytes[column] == PayloadWriter.CONSTANT && bytes[column + 1] == cell;
  }

  private boolean readNumbers(long[] numbers, int from, int to) {
    byte[] in = bytes;
    int next = at;
    long number = 0;
    for (int i = from; i < to; i++) {
      if (next >= end) {
        return false;
      }
      long code = in[next++];
      if (code < 0) {
        at = next - 1;
        code = anyVarint();
        next = at;
        if (next > end) {
          return false;
        }
      }
      number += code >>> 1 ^ -(code & 1);
      numbers[i] = number;
    }
    at = next;
    return true;
  }

  /** The next varint, which may be negative; moves beyond the end if there is none. */
  private long anyVarint() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && at < end; shift += 7) {
      long part = bytes[at++];
      value |= (part & 0x7F) << shift;
      if (part >= 0) {
        return value;
      }
    }
    at = end + 1;
    return OTHER;
  }
}
