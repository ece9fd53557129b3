// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.RandomLog;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares joined blocks with a sort of all events. */
class JoinedBlocksTest {
  private static final long BASE = 1_795_200_000_000_000L;

  @Test
  void next_randomBlocksOfFewNodes_isAsSortingAllEvents() {
    compareFewNodes(300);
  }

  @Test
  void next_randomBlocksOfManyNodes_isAsSortingAllEvents() {
    compareManyNodes(75);
  }

  @Test
  @Tag("slow")
  void next_manyRandomBlocks_isAsSortingAllEvents() {
    compareFewNodes(3_000);
    compareManyNodes(750);
  }

  private static void compareFewNodes(int seeds) {
    Counts counts = new Counts();
    for (long seed = 1; seed <= seeds; seed++) {
      Random random = new Random(seed);
      check(seed, random, 1 + random.nextInt(4), 1 + random.nextInt(150), counts);
    }
    assertThat(counts.joined).as("rows of joined blocks").isGreaterThan(33L * seeds);
    assertThat(counts.alone).as("rows of others").isGreaterThan(33L * seeds);
    assertThat(counts.ties).as("equal stamps within joined blocks").isGreaterThan(3L * seeds);
  }

  private static void compareManyNodes(int seeds) {
    Counts counts = new Counts();
    for (long seed = 1_001; seed <= 1_000 + seeds; seed++) {
      Random random = new Random(seed);
      check(seed, random, 5 + random.nextInt(30), 1 + random.nextInt(60), counts);
    }
    assertThat(counts.joined).as("rows of joined blocks").isGreaterThan(133L * seeds);
    assertThat(counts.ties).as("equal stamps within joined blocks").isGreaterThan(13L * seeds);
  }

  /** What all histories had. */
  private static final class Counts {
    private long joined;
    private long alone;
    private long ties;
  }

  private static void check(long seed, Random random, int nodes, int events, Counts counts) {
    Log log = new Log(random, random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(30));
    List<EventBlock> blocks = log.blocks(nodes, events, 1 + random.nextInt(20));
    Store store = new Store(blocks, random);
    List<EventBlock> readable = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      readable.add(store.isLost[i] ? EventBlock.heartbeat("n0", "", 1, 1, 1) : blocks.get(i));
    }
    List<Event> all = RandomLog.inOrder(readable);
    long from = Long.MIN_VALUE;
    long to = Long.MAX_VALUE;
    if (random.nextInt(3) == 0 && !all.isEmpty()) {
      from = all.get(random.nextInt(all.size())).hlc() + random.nextInt(2);
      to = Math.max(from, all.get(random.nextInt(all.size())).hlc());
    }
    long first = from;
    long last = to;
    BlockSlots slots =
        new BlockSlots(RowTest.ofLogs(Set.of(RandomLog.LOG)), first, last, RandomLog.TIES);
    ArrivalWindow window =
        new ArrivalWindow(
            JoinedBlocks.of(store.others(), store.rule(), 1 + random.nextInt(80)), slots);
    List<Event> found = new ArrayList<>();
    while (window.next()) {
      for (int i = 0; i < window.size(); i++) {
        EventBlock block = window.block(i);
        Event event = block.event(window.row(i));
        found.add(block.number() == 0 ? event : event.of(block.incarnation()));
        boolean isJoined = block.number() == 0 && !blocks.contains(block);
        counts.joined += isJoined ? 1 : 0;
        counts.alone += isJoined ? 0 : 1;
        counts.ties += isJoined && i > 0 && window.hlc(i) == window.hlc(i - 1) ? 1 : 0;
      }
    }
    assertThat(found)
        .as("seed %d", seed)
        .isEqualTo(all.stream().filter(e -> e.hlc() >= first && e.hlc() <= last).toList());
  }

  /** Blocks of which most, but not all, contain nothing but writes of LONGs. */
  private static final class Log {
    private final Random random;

    /** One of this number of events is of another kind; none if 0. */
    private final int otherEvery;

    Log(Random random, int otherEvery) {
      this.random = random;
      this.otherEvery = otherEvery;
    }

    List<EventBlock> blocks(int nodes, int eventsPerRun, int maxBlockRows) {
      List<EventBlock> blocks = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        for (int run = random.nextInt(4) / 3; run >= 0; run--) {
          blocks.addAll(run("n" + node, "run" + run, eventsPerRun, maxBlockRows));
        }
      }
      blocks.sort((a, b) -> Long.compare(a.lastHlc(), b.lastHlc()));
      if (random.nextInt(3) == 0) {
        Collections.shuffle(blocks, random);
      }
      return blocks;
    }

    private List<EventBlock> run(String node, String incarnation, int count, int maxBlockRows) {
      List<EventBlock> blocks = new ArrayList<>();
      long ticks = random.nextInt(50);
      boolean repeats = random.nextInt(5) == 0;
      EventBlockBuilder builder = new EventBlockBuilder();
      for (int i = 1; i <= count; i++) {
        ticks += random.nextInt(40) == 0 ? 100 : (repeats ? 0 : 1) + random.nextInt(5);
        long hlc = HlcTimestamp.pack(BASE + ticks / 3 * 700, (int) (ticks % 3));
        builder.add(event(node, hlc, i));
        if (builder.size() > random.nextInt(maxBlockRows) || i == count) {
          blocks.add(builder.incarnation(incarnation, blocks.size() + 1L).build());
          builder.clear();
        }
      }
      return blocks;
    }

    private Event event(String node, long hlc, int i) {
      if (otherEvery > 0 && random.nextInt(otherEvery) == 0) {
        return other(node, hlc, i);
      }
      long number = random.nextInt(20) == 0 ? random.nextLong() : i * 3L;
      return write(node, hlc, i, Set.of(), set("r", Value.of(number)));
    }

    private Event write(String node, long hlc, int i, Set<EventMark> marks, Change... changes) {
      long micros = HlcTimestamp.micros(hlc);
      long physical = random.nextInt(3) == 0 ? Event.NO_PHYSICAL : micros - random.nextInt(900);
      EventBody body = new EventBody.StateChange(List.of(changes));
      return new Event(node, RandomLog.LOG, hlc, physical, i * 2L, marks, body);
    }

    private static Change set(String name, Value value) {
      return new Change(Operation.SET, name, value);
    }

    private Event other(String node, long hlc, int i) {
      return switch (random.nextInt(8)) {
        case 0 -> new Event(node, "", hlc, new EventBody.Stop());
        case 1 -> new Event(node, "other", hlc, new EventBody.Send("n1", "m"));
        case 2 -> write(node, hlc, i, Set.of(EventMark.REPAIR), set("r", Value.of(1)));
        case 3 -> write(node, hlc, i, Set.of(), set("r", Value.of(1)), set("s", Value.of(2)));
        case 4 -> write(node, hlc, i, Set.of(), set("r", Value.of("text")));
        case 5 -> write(node, hlc, i, Set.of(), set("s", Value.of(i)));
        case 6 -> write(node, hlc, i, Set.of(EventMark.UNBOUND), set("r", Value.of(i)));
        default -> new Event(node, "", hlc, new EventBody.Heartbeat());
      };
    }
  }

  /** Some blocks are sealed ones, some decoded already, and some cannot be read at all. */
  private static final class Store implements EncodedBlocks {
    private final List<EventBlock> blocks;
    private final boolean[] isLost;
    private final boolean[] isKnown;
    private final List<Integer> encoded = new ArrayList<>();
    private final List<Integer> others = new ArrayList<>();

    Store(List<EventBlock> blocks, Random random) {
      this.blocks = blocks;
      isLost = new boolean[blocks.size()];
      isKnown = new boolean[blocks.size()];
      boolean hasOthers = random.nextInt(3) == 0;
      for (int i = 0; i < blocks.size(); i++) {
        isLost[i] = random.nextInt(40) == 0;
        isKnown[i] = random.nextInt(6) == 0;
        (hasOthers && random.nextInt(10) == 0 ? others : encoded).add(i);
      }
    }

    JoinedBlocks.Rule rule() {
      return new JoinedBlocks.Rule(this, RandomLog.LOG, name -> true, RandomLog.TIES);
    }

    List<BlockSource> others() {
      return others.stream().map(this::sourceOf).toList();
    }

    private BlockSource sourceOf(int block) {
      BlockSource whole = BlockSource.of(blocks.get(block));
      return new BlockSource() {
        @Override
        public long firstHlc() {
          return whole.firstHlc();
        }

        @Override
        public long lastHlc() {
          return whole.lastHlc();
        }

        @Override
        public @Nullable EventBlock read() {
          return isLost[block] ? null : whole.read();
        }

        @Override
        public boolean isSealed() {
          return others.contains(block);
        }

        @Override
        public long arrival(int place) {
          return block;
        }
      };
    }

    @Override
    public int count() {
      return encoded.size();
    }

    private EventBlock block(int index) {
      return blocks.get(encoded.get(index));
    }

    @Override
    public long firstHlc(int index) {
      return block(index).firstHlc();
    }

    @Override
    public long lastHlc(int index) {
      return block(index).lastHlc();
    }

    @Override
    public int rowCount(int index) {
      return block(index).size();
    }

    @Override
    public boolean matters(int index) {
      return true;
    }

    @Override
    public long arrival(int index) {
      return encoded.get(index);
    }

    @Override
    public BlockSource source(int index) {
      return sourceOf(encoded.get(index));
    }

    @Override
    public void read(int[] indexes, EncodedBatch to) {
      assertThat(indexes).isSorted();
      for (int i = 0; i < indexes.length; i++) {
        int block = encoded.get(indexes[i]);
        if (isKnown[block] && !isLost[block]) {
          to.add(i, blocks.get(block));
          continue;
        }
        byte[] frame = EventBlockCodec.encode(blocks.get(block));
        if (isLost[block]) {
          frame[Math.min(frame.length - 1, 20)] ^= 4;
        }
        assertThat(to.reserve(frame.length)).isTrue();
        System.arraycopy(frame, 0, to.array(), to.position(), frame.length);
        Arrays.fill(frame, (byte) 0);
        to.end(i, frame.length);
      }
    }
  }
}
