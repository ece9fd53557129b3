// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.retroscope.clock.HlcTimestamp;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class EventBlockCodecTest {
  private static final long T = HlcTimestamp.pack(1_795_200_000_000_000L);

  @Test
  void decode_encodedRandomBlock_isTheSame() throws CorruptBlockException {
    for (long seed = 1; seed <= 200; seed++) {
      List<Event> events = new RandomEvents(seed).events((int) (seed * 3), 1 + (int) seed % 4);
      EventBlock block = EventBlock.of(events);
      EventBlock decoded = EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));
      events.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
      assertThat(block.events()).as("built, seed %d", seed).isEqualTo(events);
      assertThat(decoded.events()).as("decoded, seed %d", seed).isEqualTo(events);
    }
  }

  @Test
  void decode_surrogatesWithoutTheirPair_remainDifferent() throws CorruptBlockException {
    List<String> texts =
        List.of("a?", "a\uD800", "a\uD801", "a\uDC00", "\uDC00\uD800", "\uD83D\uDE00", "\uD83D!");
    Value[] elements = texts.stream().map(Value::of).toArray(Value[]::new);
    EventBody body =
        new EventBody.StateChange(
            List.of(
                new EventBody.Change(EventBody.Operation.SET, "v\uD800", Value.setOf(elements)),
                new EventBody.Change(EventBody.Operation.SET, "v\uD801", Value.of(1))));
    EventBlock block = EventBlock.of(List.of(new Event("n", "log", T, body)));
    byte[] frame = EventBlockCodec.encode(block);
    EventBody.StateChange decoded =
        (EventBody.StateChange) EventBlockCodec.decodeBlock(frame).events().get(0).body();
    Value.SetValue set = (Value.SetValue) decoded.changes().get(0).value();
    assertThat(set.elements())
        .hasSize(texts.size())
        .contains(Value.of("a?"), Value.of("\uD83D\uDE00"));
    assertThat(decoded.changes()).extracting(EventBody.Change::variable).doesNotHaveDuplicates();
  }

  @Test
  void encode_lentBlocksOneAfterTheOther_isAsIfBuilt() {
    EventBlockBuilder builder = new EventBlockBuilder();
    BlockEncoder encoder = new BlockEncoder();
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      List<Event> events = new RandomEvents(seed).events(random.nextInt(300), 1 + (int) seed % 4);
      if (random.nextBoolean()) {
        Collections.shuffle(events, random);
      }
      builder.clear();
      events.forEach(builder::add);
      byte[] built = EventBlockCodec.encode(builder.build());
      EventBlock lent = builder.lend();
      events.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
      assertThat(lent.events()).as("seed %d", seed).isEqualTo(events);
      assertThat(encoder.encode(lent)).as("seed %d", seed).isEqualTo(ByteBuffer.wrap(built));
    }
  }

  @Test
  void decodedBytes_ofRandomBlocks_isNeverBelowWhatTheyTakeAndSeldomFarAbove()
      throws CorruptBlockException {
    for (long seed = 1; seed <= 200; seed++) {
      List<Event> events = new RandomEvents(seed).events((int) (seed * 3), 1 + (int) seed % 4);
      byte[] frame = EventBlockCodec.encode(EventBlock.of(events));
      byte[] second = new byte[frame.length + 7];
      System.arraycopy(frame, 0, second, 7, frame.length);
      long memory = EventBlockCodec.decodeBlock(frame).memoryBytes();
      assertThat(EventBlockCodec.decodedBytes(second, 7))
          .as("seed %d", seed)
          .isBetween(memory, 2 * memory + 1_000);
    }
  }

  @Test
  void decodedBytes_damagedPayload_isCountedOrRefusedAsDecodingIs() {
    byte[] frame = sample();
    for (int i = 0; i < frame.length; i++) {
      byte[] damaged = frame.clone();
      damaged[i] ^= (byte) 0xFF;
      Throwable thrown = catchThrowable(() -> EventBlockCodec.decodedBytes(damaged, 0));
      if (thrown != null) {
        assertThat(thrown).isInstanceOf(CorruptBlockException.class);
      }
    }
  }

  @Test
  void decode_arrivalBlock_keepsHeader() throws CorruptBlockException {
    EventBlock block =
        new EventBlockBuilder()
            .incarnation("5f2c", 7)
            .promise(T + 9, 41)
            .add(set("zk1", T, 4))
            .build();
    EventBlock decoded = EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));
    assertThat(decoded.node()).isEqualTo("zk1");
    assertThat(decoded.incarnation()).isEqualTo("5f2c");
    assertThat(decoded.number()).isEqualTo(7);
    assertThat(decoded.heartbeat()).isEqualTo(T + 9);
    assertThat(decoded.lastSequence()).isEqualTo(41);
    assertThat(decoded.events()).containsExactly(set("zk1", T, 4));
  }

  @Test
  void decode_promisedIntervalAndUnboundEvents_keepsBothAndTheValues()
      throws CorruptBlockException {
    Value user = new Value.StructValue(Map.of("$block", new Value.StructValue(Map.of())));
    EventBody body =
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, "v", user)));
    EventBlock block =
        new EventBlockBuilder()
            .incarnation("5f2c", 7)
            .add(new Event("zk1", "setd", T, body))
            .markUnbound()
            .promise(T + 9, 41, 5_000_000)
            .build();
    EventBlock decoded = EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));
    assertThat(decoded.promiseMicros()).isEqualTo(5_000_000);
    assertThat(decoded.isMarked(0, EventMark.UNBOUND)).isTrue();
    assertThat(decoded.body(0)).isEqualTo(body);
    assertThat(decoded.dictionaries().nested()).containsExactly(user);
  }

  @Test
  void decode_valueThatLooksLikeProperties_isAValue() throws CorruptBlockException {
    Value user =
        new Value.StructValue(
            Map.of("$block", new Value.StructValue(Map.of("unbound", Value.of(true)))));
    Event event =
        new Event(
            "zk1",
            "setd",
            T,
            new EventBody.StateChange(
                List.of(new EventBody.Change(EventBody.Operation.SET, "v", user))));
    EventBlock decoded =
        EventBlockCodec.decodeBlock(EventBlockCodec.encode(EventBlock.of(List.of(event))));
    assertThat(decoded.events()).containsExactly(event);
  }

  @Test
  void encode_allEventsUnbound_usesNoMarkThatVersionOneRefuses() throws CorruptBlockException {
    EventBlockBuilder builder = new EventBlockBuilder();
    byte[] plain =
        EventBlockCodec.encode(builder.incarnation("5f2c", 1).add(set("zk1", T, 4)).build());
    byte[] unbound = EventBlockCodec.encode(builder.markUnbound().build());
    // The columns are the end of the payload: only the length, the properties and the checksum
    // differ.
    int columns = 24;
    assertThat(Arrays.copyOfRange(unbound, unbound.length - columns, unbound.length - 4))
        .isEqualTo(Arrays.copyOfRange(plain, plain.length - columns, plain.length - 4));
    assertThat(unbound.length).isGreaterThan(plain.length);
  }

  @Test
  void decode_heartbeatOnly_isEmptyWithItsPromise() throws CorruptBlockException {
    EventBlock decoded =
        EventBlockCodec.decodeBlock(
            EventBlockCodec.encode(EventBlock.heartbeat("zk1", "5f2c", 3, T, 12)));
    assertThat(decoded.isEmpty()).isTrue();
    assertThat(decoded.node()).isEqualTo("zk1");
    assertThat(decoded.number()).isEqualTo(3);
    assertThat(decoded.firstHlc()).isEqualTo(T);
    assertThat(decoded.lastSequence()).isEqualTo(12);
  }

  @Test
  void read_framesInAStream_returnsEachAndThenEnds() throws IOException {
    LostBlocks lost = new LostBlocks("zk1", "5f2c", 3, 9, 1200, T, T + 77);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(EventBlockCodec.encode(EventBlock.of(List.of(set("zk1", T, 4)))));
    bytes.write(EventBlockCodec.encode(lost));
    ByteArrayInputStream in = new ByteArrayInputStream(bytes.toByteArray());
    assertThat(EventBlockCodec.read(in, 0)).get().isInstanceOf(EventBlock.class);
    assertThat(EventBlockCodec.read(in, 0)).isEqualTo(Optional.of(lost));
    assertThat(EventBlockCodec.read(in, 0)).isEmpty();
  }

  @Test
  void decode_anyTruncation_isRefused() {
    byte[] bytes = sample();
    for (int length = 1; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> EventBlockCodec.decodeBlock(cut))
          .isInstanceOf(CorruptBlockException.class);
      assertThatThrownBy(() -> EventBlockCodec.read(new ByteArrayInputStream(cut), 100))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("at byte 100");
    }
  }

  @Test
  void decode_anyFlippedBit_isRefused() {
    byte[] bytes = sample();
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> EventBlockCodec.decodeBlock(flipped))
          .as("bit %d", bit)
          .isInstanceOf(CorruptBlockException.class);
    }
  }

  /** A hostile sender recomputes the checksum: only the typed exception may result. */
  @Test
  void decode_damagedPayloadWithRightChecksum_isReadOrRefused() {
    byte[] bytes = sample();
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = bytes.clone();
      for (int i = random.nextInt(3); i >= 0; i--) {
        damaged[12 + random.nextInt(damaged.length - 16)] = (byte) random.nextInt(256);
      }
      seal(damaged);
      Throwable thrown = catchThrowable(() -> EventBlockCodec.decodeBlock(damaged).events());
      if (thrown != null) {
        assertThat(thrown)
            .as("-Dseed=%d round %d", seed, round)
            .isInstanceOf(CorruptBlockException.class);
      }
    }
  }

  @Test
  void decode_lyingLength_isRefusedWithoutAllocating() {
    byte[] bytes = sample();
    bytes[8] = 0x7F;
    assertThatThrownBy(() -> EventBlockCodec.decodeBlock(bytes))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("too long");
  }

  @Test
  void decode_manyChangesInFewBytes_isRefusedWithoutAllocating() {
    EventBody.Change unset =
        new EventBody.Change(EventBody.Operation.UNSET, "x", Value.NullValue.NULL);
    EventBody body = new EventBody.StateChange(Collections.nCopies(EventBlock.MAX_CHANGES, unset));
    byte[] frame = EventBlockCodec.encode(EventBlock.of(List.of(new Event("a", "l", 4096, body))));

    assertThat(frame).hasSizeLessThan(100);
    assertThatThrownBy(() -> EventBlockCodec.decodeBlock(frame))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("1048576 changes in ");
  }

  @Test
  void memoryBytes_growsWithWhatTheBlockHolds() {
    EventBlock small = EventBlock.of(List.of(counting(1)));
    EventBlock large = EventBlock.of(IntStream.range(0, 1_000).mapToObj(i -> counting(i)).toList());

    assertThat(small.memoryBytes()).isBetween(100L, 5_000L);
    assertThat(large.memoryBytes()).isBetween(50_000L, 200_000L);
  }

  private static Event counting(int number) {
    EventBody.Change set = new EventBody.Change(EventBody.Operation.SET, "x", Value.of(number));
    return new Event("a", "l", 4096L * number, new EventBody.StateChange(List.of(set)));
  }

  @Test
  void decode_otherVersion_saysWhichItReads() {
    byte[] bytes = sample();
    bytes[4] = 2;
    assertThatThrownBy(() -> EventBlockCodec.decodeBlock(bytes))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessage("corrupt block at byte 0: format version 2; this program reads version 1");
  }

  @Test
  void decodeAll_damagedSecondFrame_saysWhere() {
    byte[] first = sample();
    byte[] both = Arrays.copyOf(first, first.length * 2);
    System.arraycopy(first, 0, both, first.length, first.length);
    both[first.length] = 0;
    assertThatThrownBy(() -> EventBlockCodec.decodeAll(both))
        .hasMessage("corrupt block at byte " + first.length + ": not a Retroscope block");
  }

  @Test
  void add_valueNestedTooDeep_isRefusedAndLeavesNoTrace() {
    Value deep = Value.of(1);
    for (int i = 0; i <= EventBlockCodec.MAX_NESTING; i++) {
      deep = Value.setOf(deep);
    }
    Event event = change(deep);
    EventBlockBuilder builder = new EventBlockBuilder();
    assertThatThrownBy(() -> builder.add(event)).isInstanceOf(IllegalArgumentException.class);
    assertThat(builder.size()).isZero();
  }

  @Test
  void add_valueNestedToTheLimit_survives() throws CorruptBlockException {
    Value deep = Value.of(1);
    for (int i = 0; i < EventBlockCodec.MAX_NESTING; i++) {
      deep = i % 2 == 0 ? Value.setOf(deep) : new Value.StructValue(Map.of("f", deep));
    }
    EventBlock block = EventBlock.of(List.of(change(deep)));
    assertThat(EventBlockCodec.decodeBlock(EventBlockCodec.encode(block)).value(0)).isEqualTo(deep);
  }

  @Test
  void encode_oneVariableCounting_takesAFewBytesAnEvent() {
    EventBlockBuilder builder = new EventBlockBuilder();
    for (int i = 0; i < 4096; i++) {
      long micros = HlcTimestamp.micros(T) + i * 50L;
      builder.add(
          new Event(
              "zk1",
              "setd",
              HlcTimestamp.pack(micros),
              micros,
              i + 1,
              java.util.Set.of(),
              new EventBody.StateChange(
                  List.of(
                      new EventBody.Change(EventBody.Operation.SET, "r1", Value.of((long) i))))));
    }
    assertThat(EventBlockCodec.encode(builder.build()).length).isLessThan(4096 * 3);
  }

  private static void seal(byte[] frame) {
    CRC32C crc = new CRC32C();
    crc.update(frame, 0, frame.length - 4);
    for (int i = 0; i < 4; i++) {
      frame[frame.length - 4 + i] = (byte) (crc.getValue() >>> (24 - 8 * i));
    }
  }

  private static byte[] sample() {
    return EventBlockCodec.encode(EventBlock.of(new RandomEvents(7).events(20, 2)));
  }

  private static Event change(Value value) {
    return new Event(
        "zk1",
        "setd",
        T,
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, "r1", value))));
  }

  private static Event set(String node, long hlc, long value) {
    return new Event(
        node,
        "setd",
        hlc,
        HlcTimestamp.micros(hlc),
        17,
        java.util.Set.of(),
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, "r1", Value.of(value)))));
  }
}
