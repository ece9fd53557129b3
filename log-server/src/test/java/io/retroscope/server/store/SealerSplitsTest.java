// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.events;
import static io.retroscope.server.store.StoreFixture.fill;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.open;
import static io.retroscope.server.store.StoreFixture.sealAll;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.NameTable;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.SummaryCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the sealing of blocks that reach beyond a batch, and are split at its end. */
@Timeout(120)
class SealerSplitsTest {
  private static final long ALL = HlcTimestamp.MAX_PACKED;

  @TempDir Path directory;

  @Test
  void seal_longBlocksOfManyNodes_rangesFollowEachOther() {
    List<HlcRange> ranges = new ArrayList<>();
    try (EventStore store = open(directory, 20)) {
      fillLong(store, 6, 8, 64);
      List<Event> before = events(store);
      assertThat(before).hasSize(6 * 64);
      sealAll(store);
      assertThat(store.figures().blockCount() - store.figures().sealedBlockCount()).isLessThan(12);
      assertThat(events(store)).isEqualTo(before);
    }
    try (EventStore reopened = open(directory, 20)) {
      assertThat(events(reopened)).hasSize(6 * 64);
    }
    try (Database database = Database.open(directory, OpenRocks.Mode.READ_ONLY)) {
      NameTable nodes = SealedNames.read(database).nodes();
      database.forEach(
          StoreSchema.SUMMARIES,
          (id, bytes) -> {
            BlockZone zone = SummaryCodec.decode(id, bytes, nodes).zone();
            ranges.add(new HlcRange(zone.firstHlc(), zone.lastHlc()));
          });
    }
    ranges.sort(Comparator.comparingLong(HlcRange::from));
    assertThat(ranges).hasSizeGreaterThan(15);
    for (int i = 1; i < ranges.size(); i++) {
      assertThat(ranges.get(i - 1).to()).isLessThan(ranges.get(i).from());
    }
  }

  @Test
  void seal_blocksThatEndFirst_precedeThoseThatArrivedFirst() {
    try (EventStore store = open(directory, 20)) {
      fill(store, 101, 120);
      fill(store, 1, 20);
      assertThat(store.seal(ALL)).isEqualTo(8);
      assertThat(store.seal(ALL)).isEqualTo(8);
      // With a horizon between both, those above it would not be sealed anyway.
      assertThat(store.seal(hlc(100))).isZero();
      assertThat(store.seal(ALL)).isEqualTo(8);
    }
  }

  @Test
  void seal_tooManyRowsInOtherBlocks_splitsNone() {
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(new SealLimits(100, 160, 100));
    try (EventStore store = EventStore.open(directory, options, () -> NOW_MICROS)) {
      fillLong(store, 80, 40, 40);
      List<Event> before = events(store);
      assertThat(store.seal(ALL)).isEqualTo(4);
      EventStore.Figures figures = store.figures();
      assertThat(figures.blockCount() - figures.sealedBlockCount()).isEqualTo(76);
      while (store.figures().sealedBlockCount() < 12) {
        assertThat(store.seal(ALL)).isPositive();
      }
      assertThat(events(store)).isEqualTo(before);
    }
  }

  @Test
  void append_aBlockAgainOfWhichAPartIsSealed_isADuplicate() {
    try (EventStore store = open(directory, 20)) {
      fillLong(store, 6, 8, 16);
      assertThat(store.seal(ALL)).isPositive();
      long blocks = store.figures().blockCount();
      assertThat(blocks).isGreaterThan(store.figures().sealedBlockCount());
      for (int node = 0; node < 6; node++) {
        for (EncodedFrame frame : longBlocks(node, 6, 8, 16)) {
          assertThat(store.append(frames(frame)).join()).isEqualTo(new Receipt(0, 8, 0));
          for (Event event : ((EventBlock) frame.content()).events()) {
            assertThat(store.append(lines(event)).join()).isEqualTo(new Receipt(0, 1, 0));
          }
        }
      }
      assertThat(store.figures().blockCount()).isEqualTo(blocks);
    }
  }

  @Test
  void listener_ofSealingThatSplitsBlocks_isNotToldOfTheirEventsAgain() {
    try (EventStore store = open(directory, 20)) {
      fillLong(store, 6, 8, 32);
      List<EventBlock> stored = new ArrayList<>();
      store.addListener(
          new StoreListener() {
            @Override
            public void stored(EventBlock block) {
              stored.add(block);
            }

            @Override
            public void heard(Collection<Incarnation> incarnations) {}
          });
      sealAll(store);
      assertThat(store.figures().sealedBlockCount()).isPositive();
      assertThat(stored).isEmpty();
    }
  }

  /** Blocks of nodes that take turns, so that all blocks of one time overlap, but end apart. */
  private static void fillLong(EventStore store, int nodes, int rows, int eventsPerNode) {
    List<List<EncodedFrame>> blocks = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      blocks.add(longBlocks(node, nodes, rows, eventsPerNode));
    }
    for (int number = 0; number < eventsPerNode / rows; number++) {
      for (List<EncodedFrame> own : blocks) {
        store.append(frames(own.get(number))).join();
      }
    }
  }

  private static List<EncodedFrame> longBlocks(int node, int nodes, int rows, int events) {
    List<EncodedFrame> blocks = new ArrayList<>();
    List<Event> own = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      // The blocks of the nodes begin at different times.
      long micros = 10L * i * nodes + 10L * node * (rows + 1);
      own.add(set("n" + node, "l", hlc(1_000 + micros), "x", i));
      if (own.size() == rows) {
        long number = blocks.size() + 1L;
        blocks.add(block("i" + node, number, own.get(rows - 1).hlc(), own));
        own = new ArrayList<>();
      }
    }
    return blocks;
  }
}
