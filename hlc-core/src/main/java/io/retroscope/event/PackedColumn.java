// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.util.Arrays;

/**
 * A column of longs, packed into as few bits as each run of {@link #RUN} values needs. Immutable
 * and thread-safe, as long as the bytes that it was read from do not change.
 */
public final class PackedColumn {
  /*
   * column:  mode 0 | zigzag value                                 all values are equal
   *          mode 1 | header of each run | bits of each run | 7 zero bytes
   * header:  width + 128 if delta | zigzag (base - base of the previous run) | zigzag step if delta
   *
   * An entry is an unsigned number of `width` bits, the lowest bits first. A plain run's values are
   * base + entry. A delta run's value is the previous value + step + entry; base precedes the first
   * value. Sums wrap. Runs begin at whole bytes.
   *
   * Reading is fast because one unaligned load of eight bytes holds eight entries of up to 7 bits,
   * four of up to 14, two of up to 28, or one of up to 56: an entry begins at most seven bits into
   * the load. Wider entries take 64 bits. The seven bytes at the end keep the last load within the column. The
   * loops over loads are in Unpacking.
   */

  /** The number of values per run. */
  public static final int RUN = 128;

  private static final int EQUAL = 0;
  private static final int RUNS = 1;
  private static final int DELTA = 0x80;
  private static final int MAX_WIDTH_OF_EIGHT = 7;
  private static final int MAX_WIDTH_OF_FOUR = 14;
  private static final int MAX_WIDTH_OF_TWO = 28;
  private static final int MAX_WIDTH_OF_ONE = 56;
  private static final int PADDING = 7;
  private static final int MIN_HEADER_BYTES = 2;

  private final byte[] bytes;
  private final int size;

  /* One entry per run; none if all values are equal, which are then bases[0]. */
  private final int[] headers;
  private final int[] starts;
  private final long[] bases;
  private final long[] steps;

  private PackedColumn(byte[] bytes, int size, int[] headers, long[] bases, long[] steps) {
    this.bytes = bytes;
    this.size = size;
    this.headers = headers;
    this.bases = bases;
    this.steps = steps;
    this.starts = new int[headers.length];
  }

  /** Writes the first {@code size} values. A column without values takes no bytes. */
  public static void write(long[] values, int size, WireWriter out) {
    if (size == 0) {
      return;
    }
    if (areEqual(values, size)) {
      out.putByte(EQUAL);
      out.putZigzag(values[0]);
      return;
    }
    out.putByte(RUNS);
    RunEncoder[] runs = new RunEncoder[runCount(size)];
    long base = 0;
    for (int run = 0; run < runs.length; run++) {
      runs[run] = RunEncoder.of(values, run * RUN, Math.min(size, (run + 1) * RUN));
      base = runs[run].writeHeader(base, out);
    }
    for (RunEncoder run : runs) {
      run.writeBits(values, out);
    }
    for (int i = 0; i < PADDING; i++) {
      out.putByte(0);
    }
  }

  /** Writes {@code size} times the same value, as {@link #write} does. */
  public static void writeConstant(long value, int size, WireWriter out) {
    if (size > 0) {
      out.putByte(EQUAL);
      out.putZigzag(value);
    }
  }

  /**
   * Reads a column of {@code size} values where the reader is, and leaves the reader after it. The
   * memory that this takes is proportional to the bytes that were read, not to the size.
   *
   * @throws CorruptBlockException if the bytes are not such a column
   */
  public static PackedColumn read(WireReader in, int size) throws CorruptBlockException {
    if (size == 0) {
      return new PackedColumn(in.bytes(), 0, new int[0], new long[1], new long[0]);
    }
    int mode = in.getByte();
    if (mode == EQUAL) {
      long[] value = {in.getZigzag()};
      return new PackedColumn(in.bytes(), size, new int[0], value, new long[0]);
    }
    if (mode != RUNS || size < 0) {
      throw in.corrupt("unknown mode " + mode + " of a column of " + size + " values");
    }
    int count = runCount(size);
    if (count > in.remaining() / MIN_HEADER_BYTES) {
      throw in.corrupt(count + " runs of a column in " + in.remaining() + " bytes");
    }
    PackedColumn column =
        new PackedColumn(in.bytes(), size, new int[count], new long[count], new long[count]);
    column.readHeaders(in);
    column.locateRuns(in);
    return column;
  }

  private void readHeaders(WireReader in) throws CorruptBlockException {
    long base = 0;
    for (int run = 0; run < headers.length; run++) {
      int header = in.getByte();
      int width = header & ~DELTA;
      if (width > MAX_WIDTH_OF_ONE && width != Long.SIZE) {
        throw in.corrupt("a column's entries of " + width + " bits");
      }
      base += in.getZigzag();
      headers[run] = header;
      bases[run] = base;
      steps[run] = (header & DELTA) == 0 ? 0 : in.getZigzag();
    }
  }

  private void locateRuns(WireReader in) throws CorruptBlockException {
    for (int run = 0; run < headers.length; run++) {
      starts[run] = in.position();
      in.skip(bytesOf(countOf(run), width(run)), "a column's run");
    }
    in.skip(PADDING, "a column's end");
  }

  /** The number of values. */
  public int size() {
    return size;
  }

  /** The number of runs; all but the last have {@link #RUN} values. */
  public int runs() {
    return runCount(size);
  }

  /** Whether all values are equal, which takes no time to find out. */
  public boolean isConstant() {
    return headers.length == 0;
  }

  /**
   * The value at an index. In a delta run this takes time proportional to the position in the run.
   *
   * @throws IndexOutOfBoundsException if the index is not that of a value
   */
  public long at(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("value " + index + " of " + size);
    }
    if (isConstant()) {
      return bases[0];
    }
    int run = index / RUN;
    int last = index % RUN;
    if ((headers[run] & DELTA) == 0) {
      return bases[run] + Unpacking.entry(bytes, starts[run], width(run), last);
    }
    long value = bases[run];
    for (int i = 0; i <= last; i++) {
      value += steps[run] + Unpacking.entry(bytes, starts[run], width(run), i);
    }
    return value;
  }

  /**
   * Decodes all values.
   *
   * @param to at least {@link #size} long
   */
  public void decode(long[] to) {
    for (int run = 0, end = runs(); run < end; run++) {
      decodeRun(run, to, run * RUN);
    }
  }

  /**
   * Decodes consecutive values.
   *
   * @param to at least {@code count} plus two times {@link #RUN} long; what is after the values is
   *     useless
   */
  public void decode(int first, int count, long[] to) {
    int firstRun = first / RUN;
    for (int run = firstRun; run * RUN < first + count; run++) {
      decodeRun(run, to, (run - firstRun) * RUN);
    }
    System.arraycopy(to, first - firstRun * RUN, to, 0, count);
  }

  /**
   * Decodes all values as ints.
   *
   * @param to at least {@link #size} long
   * @return whether all values are from 0 to {@code limit - 1}; otherwise those decoded are useless
   */
  public boolean decode(int[] to, int limit) {
    long[] buffer = new long[Math.min(RUN, size)];
    boolean within = true;
    for (int run = 0, end = runs(); run < end; run++) {
      int at = run * RUN;
      int count = countOf(run);
      if (isOfSmallInts(run, count)) {
        Unpacking.unpackEights(bytes, starts[run], width(run), (int) bases[run], to, at, count);
        within &= Unpacking.areBelow(to, at, count, limit);
      } else {
        decodeRun(run, buffer, 0);
        within &= Unpacking.copyBelow(buffer, count, limit, to, at);
      }
    }
    return within;
  }

  private boolean isOfSmallInts(int run, int count) {
    return !isConstant()
        && (headers[run] & DELTA) == 0
        && width(run) > 0
        && width(run) <= MAX_WIDTH_OF_EIGHT
        && (count & 7) == 0
        && bases[run] >= 0
        && bases[run] < Integer.MAX_VALUE - (1 << MAX_WIDTH_OF_EIGHT);
  }

  /**
   * Decodes microseconds as packed stamps with one logical counter.
   *
   * @param to at least {@link #size} long
   * @param logical 0 to {@link HlcTimestamp#MAX_LOGICAL}
   * @return whether all are valid and none is lower than the one before; otherwise they are useless
   */
  public boolean decodeStamps(long[] to, int logical) {
    long previous = 0;
    boolean valid = true;
    for (int run = 0, end = runs(); run < end; run++) {
      int at = run * RUN;
      int count = countOf(run);
      if (isConstant() || (headers[run] & DELTA) == 0) {
        decodeRun(run, to, at);
        valid &= Unpacking.makeStamps(previous, logical, to, at, count);
      } else {
        unpack(run, count, steps[run], to, at);
        valid &= to[at] + bases[run] >= previous;
        valid &= Unpacking.accumulateStamps(bases[run], logical, to, at, count);
      }
      previous = HlcTimestamp.micros(to[at + count - 1]);
    }
    return valid;
  }

  /**
   * Decodes one run, and returns its number of values.
   *
   * @param at the index of the run's first value in {@code to}
   */
  public int decodeRun(int run, long[] to, int at) {
    int count = countOf(run);
    if (isConstant()) {
      Arrays.fill(to, at, at + count, bases[0]);
    } else if ((headers[run] & DELTA) == 0) {
      unpack(run, count, bases[run], to, at);
    } else {
      unpack(run, count, steps[run], to, at);
      Unpacking.accumulate(bases[run], to, at, count);
    }
    return count;
  }

  private void unpack(int run, int count, long base, long[] to, int at) {
    int width = width(run);
    int start = starts[run];
    if (width == 0) {
      Arrays.fill(to, at, at + count, base);
    } else if (width <= MAX_WIDTH_OF_EIGHT) {
      int done = count & ~7;
      Unpacking.unpackEights(bytes, start, width, base, to, at, done);
      Unpacking.unpackRest(bytes, start, width, base, to, at, done, count);
    } else if (width <= MAX_WIDTH_OF_FOUR) {
      int done = count & ~3;
      Unpacking.unpackFours(bytes, start, width, base, to, at, done);
      Unpacking.unpackRest(bytes, start, width, base, to, at, done, count);
    } else if (width <= MAX_WIDTH_OF_TWO) {
      int done = count & ~1;
      Unpacking.unpackTwos(bytes, start, width, base, to, at, done);
      Unpacking.unpackRest(bytes, start, width, base, to, at, done, count);
    } else {
      Unpacking.unpackRest(bytes, start, width, base, to, at, 0, count);
    }
  }

  private int width(int run) {
    return headers[run] & ~DELTA;
  }

  private int countOf(int run) {
    if (run < 0 || run >= runs()) {
      throw new IndexOutOfBoundsException("run " + run + " of " + runs());
    }
    return Math.min(RUN, size - run * RUN);
  }

  private static int runCount(int size) {
    return (int) (((long) size + RUN - 1) / RUN);
  }

  private static int bytesOf(int count, int width) {
    return (count * width + Byte.SIZE - 1) / Byte.SIZE;
  }

  private static boolean areEqual(long[] values, int size) {
    for (int i = 1; i < size; i++) {
      if (values[i] != values[0]) {
        return false;
      }
    }
    return true;
  }

  /** The choice of how to write one run. */
  private record RunEncoder(int from, int to, int width, boolean delta, long base, long step) {
    static RunEncoder of(long[] values, int from, int to) {
      long min = values[from];
      long max = values[from];
      long minStep = Long.MAX_VALUE;
      long maxStep = Long.MIN_VALUE;
      for (int i = from + 1; i < to; i++) {
        min = Math.min(min, values[i]);
        max = Math.max(max, values[i]);
        long step = values[i] - values[i - 1];
        minStep = Math.min(minStep, step);
        maxStep = Math.max(maxStep, step);
      }
      int plain = width(max - min);
      int delta = to - from < 2 ? plain : width(maxStep - minStep);
      return delta < plain
          ? new RunEncoder(from, to, delta, true, values[from] - minStep, minStep)
          : new RunEncoder(from, to, plain, false, min, 0);
    }

    /** The width of unsigned numbers up to a limit. */
    private static int width(long limit) {
      int width = Long.SIZE - Long.numberOfLeadingZeros(limit);
      return width > MAX_WIDTH_OF_ONE ? Long.SIZE : width;
    }

    long writeHeader(long previousBase, WireWriter out) {
      out.putByte(width | (delta ? DELTA : 0));
      out.putZigzag(base - previousBase);
      if (delta) {
        out.putZigzag(step);
      }
      return base;
    }

    void writeBits(long[] values, WireWriter out) {
      int start = out.reserve(bytesOf(to - from, width));
      if (width > 0) {
        if (delta) {
          Packing.packSteps(values, from, to, base, step, width, out.bytes(), start);
        } else {
          Packing.pack(values, from, to, base, width, out.bytes(), start);
        }
      }
    }
  }
}
