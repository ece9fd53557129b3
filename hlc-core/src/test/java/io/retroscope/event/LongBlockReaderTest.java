// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LongBlockReaderTest {
  private static final String LOG = "setd";
  private static final int START = 5;

  private final LongBlockReader reader = new LongBlockReader(LOG);

  @Test
  void read_randomBlocksOfLongs_hasTheRowsOfTheCodec() {
    for (long seed = 1; seed <= 1_000; seed++) {
      EventBlock block = new Blocks(new Random(seed)).longs();
      assertThat(read(EventBlockCodec.encode(block))).as("seed %d", seed).isEqualTo(block.size());
    }
  }

  @Test
  void read_anythingElse_isLeftToTheCodecOrHasItsRows() {
    int left = 0;
    for (long seed = 1; seed <= 1_000; seed++) {
      EventBlock block = new Blocks(new Random(seed)).mixed();
      left += read(EventBlockCodec.encode(block)) == LongBlockReader.OTHER ? 1 : 0;
    }
    assertThat(left).isGreaterThan(333);
  }

  @Test
  void read_damagedBytes_areNotDecoded() {
    for (long seed = 1; seed <= 20; seed++) {
      byte[] frame = EventBlockCodec.encode(new Blocks(new Random(seed)).longs());
      for (int at = 0; at < frame.length; at++) {
        byte[] damaged = frame.clone();
        damaged[at] ^= (byte) (1 << ((seed + at) % 8));
        assertThat(read(damaged)).as("seed %d, byte %d", seed, at).isEqualTo(LongBlockReader.OTHER);
        assertThat(read(Arrays.copyOf(frame, at))).isEqualTo(LongBlockReader.OTHER);
      }
    }
  }

  @Test
  void read_otherBytesWithTheirChecksum_haveTheRowsOfTheCodec() {
    int decoded = 0;
    int left = 0;
    for (long seed = 1; seed <= 1_000; seed++) {
      Random random = new Random(seed);
      byte[] frame = EventBlockCodec.encode(new Blocks(random).longs());
      for (int i = 0; i < 20; i++) {
        byte[] changed = frame.clone();
        for (int n = random.nextInt(3); n >= 0; n--) {
          int at = EventBlockCodec.HEADER_BYTES + random.nextInt(frame.length - 16);
          changed[at] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : changed[at] + 1);
        }
        int end = changed.length - 4;
        ByteBuffer.wrap(changed).putInt(end, EventBlockCodec.checksum(changed, 0, end));
        boolean isDecoded = read(changed) != LongBlockReader.OTHER;
        decoded += isDecoded ? 1 : 0;
        left += isDecoded ? 0 : 1;
      }
    }
    assertThat(decoded).isGreaterThan(1_000);
    assertThat(left).isGreaterThan(1_000);
  }

  @Test
  void read_numbersOfTooManyBytes_areLeftToTheCodec() {
    EventBlock block = new EventBlockBuilder().add(event("n", 7, 3)).incarnation("i", 1).build();
    byte[] frame = EventBlockCodec.encode(block);
    int sequence = frame.length - 4 - 17; // before it 14 bytes of constants and the number's
    assertThat(frame[sequence]).isEqualTo((byte) PayloadWriter.CONSTANT);
    byte[] longer = new byte[frame.length + 10];
    System.arraycopy(frame, 0, longer, 0, sequence + 1);
    Arrays.fill(longer, sequence + 1, sequence + 11, (byte) 0x80);
    System.arraycopy(frame, sequence + 1, longer, sequence + 11, frame.length - sequence - 1);
    int end = longer.length - 4;
    ByteBuffer.wrap(longer)
        .putInt(8, end - 12)
        .putInt(end, EventBlockCodec.checksum(longer, 0, end));
    assertThat(read(longer)).isEqualTo(LongBlockReader.OTHER);
  }

  /** Reads a frame and compares the result with that of the codec. */
  private int read(byte[] frame) {
    byte[] bytes = new byte[START + frame.length + LongBlockReader.PADDING];
    System.arraycopy(frame, 0, bytes, START, frame.length);
    int count = reader.begin(bytes, START, START + frame.length);
    if (count == LongBlockReader.OTHER) {
      return count;
    }
    long[] stamps = new long[count + 2];
    long[] numbers = new long[count + 2];
    if (!reader.read(stamps, numbers, 2)) {
      return LongBlockReader.OTHER;
    }
    EventBlock block = decoded(bytes);
    assertThat(block.size()).isEqualTo(count);
    assertThat(block.writesLongsOnly()).isTrue();
    assertThat(block.nodes()).containsExactly(reader.node(reader.run()));
    assertThat(block.incarnation()).isEqualTo(reader.incarnation(reader.run()));
    for (int row = 0; row < count; row++) {
      // An assertion for each of a million cells takes longer than the decoder.
      if (stamps[2 + row] != block.hlc(row)
          || numbers[2 + row] != block.bits(row)
          || !block.logs().get(block.logIndex(row)).equals(LOG)
          || !block.variables().get(block.nameIndex(row)).equals(reader.variable())) {
        throw new AssertionError("row " + row + " is not that of the codec");
      }
    }
    return count;
  }

  private static EventBlock decoded(byte[] bytes) {
    try {
      return EventBlockCodec.decodeBlockAt(bytes, START);
    } catch (CorruptBlockException e) {
      throw new AssertionError(e);
    }
  }

  private static Event event(String node, long micros, long number) {
    Change set = new Change(Operation.SET, "r", Value.of(number));
    long hlc = HlcTimestamp.pack(micros);
    return new Event(node, LOG, hlc, new EventBody.StateChange(List.of(set)));
  }

  /** Blocks from a seed. */
  private record Blocks(Random random) {
    EventBlock longs() {
      EventBlockBuilder builder = new EventBlockBuilder();
      for (Event event : longs(LOG, Set.of())) {
        builder.add(event);
      }
      return build(builder);
    }

    private EventBlock build(EventBlockBuilder builder) {
      if (random.nextBoolean()) {
        builder.incarnation(random.nextBoolean() ? "" : "run" + random.nextInt(9), 1 + number());
        builder.promise(number(), number(), random.nextInt(3) * 1_000L);
      }
      return builder.build();
    }

    private long number() {
      return random.nextLong() >>> (1 + random.nextInt(63));
    }

    private List<Event> longs(String log, Set<EventMark> marks) {
      String node = random.nextInt(9) == 0 ? "\u00e4\uD83D\uDE00" : "n" + random.nextInt(200);
      String variable = "r" + random.nextInt(3);
      List<Event> events = new ArrayList<>();
      long micros = number() >>> 12;
      long sequence = random.nextInt(100);
      boolean hasPhysical = random.nextBoolean();
      int logical = 0;
      for (int i = random.nextInt(40); i >= 0; i--) {
        long step = random.nextInt(4) == 0 ? number() >>> 20 : random.nextInt(3_000);
        micros = Math.min(HlcTimestamp.MAX_MICROS, micros + step);
        logical = step > 0 ? (random.nextInt(9) / 8) * random.nextInt(4_000) : logical;
        long physical = hasPhysical ? Math.max(0, micros - random.nextInt(300)) : Event.NO_PHYSICAL;
        long value = random.nextInt(4) == 0 ? random.nextLong() : number();
        Change set = new Change(Operation.SET, variable, Value.of(value));
        EventBody body = new EventBody.StateChange(List.of(set));
        long hlc = HlcTimestamp.pack(micros, logical);
        sequence += random.nextInt(3);
        events.add(new Event(node, log, hlc, physical, sequence, marks, body));
      }
      return events;
    }

    EventBlock mixed() {
      EventBlockBuilder builder = new EventBlockBuilder();
      boolean isMarked = random.nextInt(3) == 0;
      String log = random.nextInt(3) == 0 ? "other" : LOG;
      longs(log, isMarked ? Set.of(EventMark.UNBOUND) : Set.of()).forEach(builder::add);
      if (random.nextBoolean()) {
        longs(LOG, Set.of()).forEach(builder::add);
      }
      Value text = Value.of(random.nextInt(2) == 0 ? "t" : "u");
      if (random.nextInt(3) == 0) {
        Change set = new Change(Operation.SET, "r", text);
        EventBody body = new EventBody.StateChange(List.of(set));
        builder.add(new Event("n", LOG, HlcTimestamp.pack(number() >>> 12), body));
      }
      return builder.build();
    }
  }
}
