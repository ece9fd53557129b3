// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackedColumnTest {
  private static final int MAX_SIZE = 5 * PackedColumn.RUN;

  @Test
  void read_randomColumns_isWhatWasWritten() throws CorruptBlockException {
    for (long seed = 1; seed <= 3_000; seed++) {
      Random random = new Random(seed);
      long[] values = randomValues(random, random.nextInt(MAX_SIZE));
      assertReadsBack(values, "seed " + seed);
    }
  }

  @Test
  void read_everyWidth_isWhatWasWritten() throws CorruptBlockException {
    for (int width = 0; width <= Long.SIZE; width++) {
      for (int size : new int[] {2, 3, 127, 128, 129, 131, 259}) {
        Random random = new Random(width * 1_000L + size);
        long[] values = new long[size];
        for (int i = 0; i < size; i++) {
          values[i] = 77 + (width == 0 ? 0 : random.nextLong() >>> (Long.SIZE - width));
        }
        values[size - 1] = 77 + (width == 0 ? 0 : -1L >>> (Long.SIZE - width));
        assertReadsBack(values, size + " values of " + width + " bits");
      }
    }
  }

  @Test
  void read_extremes_isWhatWasWritten() throws CorruptBlockException {
    assertReadsBack(new long[0], "none");
    assertReadsBack(new long[] {Long.MIN_VALUE}, "one");
    assertReadsBack(new long[] {Long.MIN_VALUE, Long.MAX_VALUE}, "two");
    assertReadsBack(new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 0, -1, 1}, "five");
    long[] alternating = new long[300];
    for (int i = 0; i < alternating.length; i++) {
      alternating[i] = i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    assertReadsBack(alternating, "alternating");
  }

  @Test
  void write_equalValues_takesFewBytesWhateverTheSize() {
    long[] values = new long[8_192];
    Arrays.fill(values, 3);
    assertThat(written(values)).containsExactly(0, 6);
  }

  @Test
  void write_equidistantValues_takesTheHeadersOnly() throws CorruptBlockException {
    long[] values = new long[8_192];
    for (int i = 0; i < values.length; i++) {
      values[i] = 1_000_000L + 5L * i;
    }
    byte[] bytes = written(values);
    assertThat(bytes.length).isLessThan(5 * values.length / PackedColumn.RUN);
    assertReadsBack(values, "equidistant");
  }

  @Test
  void write_smallNumbers_takesTheirBits() {
    long[] values = new long[1_280];
    for (int i = 0; i < values.length; i++) {
      values[i] = 40L + i * 7 % 8;
    }
    values[0] = 47;
    // Mode, ten headers of width and base, three bits per value, padding.
    assertThat(written(values)).hasSize(1 + 10 * 2 + 1_280 * 3 / 8 + 7);
  }

  @Test
  void decode_asInts_tellsWhetherAllAreBelowTheLimit() throws CorruptBlockException {
    for (long seed = 1; seed <= 500; seed++) {
      Random random = new Random(seed);
      int limit = 1 + random.nextInt(1_000);
      long[] values = new long[1 + random.nextInt(MAX_SIZE)];
      Arrays.setAll(values, i -> random.nextInt(limit));
      long[] outside = {limit, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32};
      boolean within = random.nextBoolean();
      if (!within) {
        values[random.nextInt(values.length)] = outside[random.nextInt(outside.length)];
      }
      int[] found = new int[values.length];
      WireReader in = new WireReader(written(values), 0, written(values).length, 0);
      assertThat(PackedColumn.read(in, values.length).decode(found, limit))
          .as("seed %d", seed)
          .isEqualTo(within);
      if (within) {
        assertThat(found).isEqualTo(Arrays.stream(values).mapToInt(value -> (int) value).toArray());
      }
    }
  }

  /** Some columns descend somewhere or leave the range of stamps, by little or by much. */
  @Test
  void decodeStamps_randomMicros_areStampsIfTheyAreValidAndAscend() throws CorruptBlockException {
    int valid = 0;
    for (long seed = 1; seed <= 3_000; seed++) {
      Random random = new Random(seed);
      long[] micros = new long[1 + random.nextInt(MAX_SIZE)];
      int step = 1 + random.nextInt(random.nextBoolean() ? 9 : 3_000);
      long at = random.nextInt(3) == 0 ? 0 : HlcTimestamp.MAX_MICROS / (1 + random.nextInt(9));
      at = Math.min(at, HlcTimestamp.MAX_MICROS - (long) step * micros.length);
      for (int i = 0; i < micros.length; i++) {
        at += random.nextInt(step);
        micros[i] = at;
      }
      if (random.nextBoolean()) {
        int wrong = random.nextInt(micros.length);
        long[] changes = {-1 - at, -1, -random.nextInt(9_000), 1L << 52, 1L << 63, 1L << 62};
        micros[wrong] += changes[random.nextInt(changes.length)];
      }
      boolean expected = micros[0] >= 0 && micros[micros.length - 1] <= HlcTimestamp.MAX_MICROS;
      for (int i = 1; i < micros.length; i++) {
        expected &= micros[i] >= micros[i - 1];
      }
      long[] found = new long[micros.length];
      WireReader in = new WireReader(written(micros), 0, written(micros).length, 0);
      int logical = random.nextInt(3);
      assertThat(PackedColumn.read(in, micros.length).decodeStamps(found, logical))
          .as("seed %d", seed)
          .isEqualTo(expected);
      if (expected) {
        valid++;
        assertThat(found)
            .as("seed %d", seed)
            .isEqualTo(Arrays.stream(micros).map(m -> HlcTimestamp.pack(m, logical)).toArray());
      }
    }
    assertThat(valid).isBetween(1_000, 2_500);
  }

  @Test
  void decodeStamps_descentBetweenRunsOrOverflow_isNotValid() throws CorruptBlockException {
    long[] again = new long[2 * PackedColumn.RUN];
    Arrays.setAll(again, i -> 1_000L + i % PackedColumn.RUN);
    assertThat(areStamps(again)).isFalse();
    Arrays.setAll(again, i -> 1_000L + i);
    assertThat(areStamps(again)).isTrue();
    assertThat(areStamps(new long[] {0, 1L << 62, 1L << 63, 3L << 62, 0})).isFalse();
    assertThat(areStamps(new long[] {0, 0, HlcTimestamp.MAX_MICROS})).isTrue();
  }

  private static boolean areStamps(long[] micros) throws CorruptBlockException {
    WireReader in = new WireReader(written(micros), 0, written(micros).length, 0);
    return PackedColumn.read(in, micros.length).decodeStamps(new long[micros.length], 0);
  }

  @Test
  void read_severalColumns_endsAfterEach() throws CorruptBlockException {
    WireWriter out = new WireWriter();
    long[] first = {1, 5, 9, 100};
    long[] second = {-7, -7};
    long[] third = {1L << 60, 2};
    PackedColumn.write(first, 4, out);
    PackedColumn.write(second, 2, out);
    PackedColumn.write(third, 2, out);
    WireReader in = new WireReader(out.toByteArray(), 0, out.length(), 0);
    assertThat(decoded(PackedColumn.read(in, 4))).isEqualTo(first);
    assertThat(decoded(PackedColumn.read(in, 2))).isEqualTo(second);
    assertThat(decoded(PackedColumn.read(in, 2))).isEqualTo(third);
    assertThat(in.remaining()).isZero();
  }

  @Test
  void read_truncated_isRefused() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      int size = 1 + random.nextInt(MAX_SIZE);
      byte[] bytes = written(randomValues(random, size));
      byte[] cut = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      assertThatThrownBy(() -> PackedColumn.read(new WireReader(cut, 0, cut.length, 0), size))
          .as("seed %d", seed)
          .isInstanceOf(CorruptBlockException.class);
    }
  }

  @Test
  void read_mutatedBytes_isRefusedOrDecodesWithinItsBytes() {
    int read = 0;
    int refused = 0;
    for (long seed = 1; seed <= 8_000; seed++) {
      Random random = new Random(seed);
      long[] values = randomValues(random, 1 + random.nextInt(MAX_SIZE));
      byte[] bytes = written(values);
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(Math.min(bytes.length, 24))] = (byte) random.nextInt();
      }
      int size = random.nextInt(4) == 0 ? random.nextInt(1 << 20) : values.length;
      try {
        PackedColumn column = PackedColumn.read(new WireReader(bytes, 0, bytes.length, 0), size);
        long[] found = decoded(column);
        assertThat(column.at(size - 1)).as("seed %d", seed).isEqualTo(found[size - 1]);
        read++;
      } catch (CorruptBlockException e) {
        refused++;
      }
    }
    assertThat(read).isGreaterThan(1_000);
    assertThat(refused).isGreaterThan(1_000);
  }

  @Test
  void read_hugeSizeInFewBytes_isRefusedWithoutMemory() {
    byte[] bytes = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assertThatThrownBy(() -> PackedColumn.read(new WireReader(bytes, 0, 10, 0), Integer.MAX_VALUE))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("16777216 runs of a column in 9 bytes");
  }

  @Test
  void read_unknownModeOrWidth_isRefused() {
    assertThatThrownBy(() -> PackedColumn.read(new WireReader(new byte[] {2, 0}, 0, 2, 0), 1))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("unknown mode 2");
    byte[] width = {1, 57, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assertThatThrownBy(() -> PackedColumn.read(new WireReader(width, 0, width.length, 0), 1))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("entries of 57 bits");
  }

  @Test
  void at_outside_isRefused() throws CorruptBlockException {
    byte[] bytes = written(new long[] {1, 2, 3});
    PackedColumn column = PackedColumn.read(new WireReader(bytes, 0, bytes.length, 0), 3);
    assertThatThrownBy(() -> column.at(3)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> column.at(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> column.decodeRun(1, new long[128], 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  /** Runs of different shapes: constant, ascending, of few bits, of any bits. */
  private static long[] randomValues(Random random, int size) {
    long[] values = new long[size];
    long value = random.nextLong() >> random.nextInt(64);
    int shape = random.nextInt(4);
    int shift = random.nextInt(64);
    for (int i = 0; i < size; i++) {
      if (i % 64 == 0) {
        shape = random.nextInt(4);
        shift = random.nextInt(64);
      }
      long draw = random.nextLong() >>> shift;
      value =
          switch (shape) {
            case 0 -> value;
            case 1 -> value + draw;
            case 2 -> draw;
            default -> -draw;
          };
      values[i] = value;
    }
    return values;
  }

  private static void assertReadsBack(long[] values, String what) throws CorruptBlockException {
    byte[] bytes = written(values);
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    PackedColumn column = PackedColumn.read(in, values.length);
    assertThat(in.remaining()).as(what).isZero();
    assertThat(decoded(column)).as(what).isEqualTo(values);
    for (int i = 0; i < values.length; i += 1 + i / 7) {
      assertThat(column.at(i)).as("%s, value %d", what, i).isEqualTo(values[i]);
    }
  }

  private static long[] decoded(PackedColumn column) {
    long[] values = new long[column.size()];
    column.decode(values);
    return values;
  }

  private static byte[] written(long[] values) {
    WireWriter out = new WireWriter();
    PackedColumn.write(values, values.length, out);
    return out.toByteArray();
  }
}
