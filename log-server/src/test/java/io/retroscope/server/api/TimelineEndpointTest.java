// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.api.TimelineEndpoint.Made;
import io.retroscope.server.api.TimelineEndpoint.Wanted;
import io.retroscope.server.memory.MemoryBudget;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of which tiles are made again, by the blocks that are read for them. */
@Timeout(60)
class TimelineEndpointTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Wanted TILE = new Wanted(new TileAddress(10, 0), Set.of(), Set.of());

  private final List<TimelineBlocks.Part> parts = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final MemoryBudget memory = new MemoryBudget(256 << 20);
  private final TimelineEndpoint endpoint =
      new TimelineEndpoint(
          Tiles.of(Blocks::new), TileMaker.Limits.DEFAULT, memory, () -> HlcTimestamp.MAX_PACKED);

  private Runnable whenLookedAt = () -> {};
  private int blocksRead;

  /** The blocks of this test. */
  private final class Blocks implements TimelineBlocks {
    @Override
    public List<Part> parts(HlcRange range) {
      whenLookedAt.run();
      return List.copyOf(parts);
    }

    @Override
    public List<Gap> gaps(HlcRange range) {
      return List.copyOf(gaps);
    }

    @Override
    public List<Ahead> ahead(HlcRange range) {
      return List.of();
    }

    @Override
    public void close() {}
  }

  private TimelineBlocks.Part part(long id, String node) {
    long hlc = HlcTimestamp.pack(id);
    EventBlock block =
        EventBlock.of(List.of(new Event(node, "app", hlc, new EventBody.LogLine("m", Map.of()))));
    return new TimelineBlocks.Part(
        id,
        hlc,
        hlc,
        1,
        Set.of("app"),
        Set.of(),
        () -> block.nodes().stream(),
        Optional::empty,
        () -> {
          blocksRead++;
          return block;
        });
  }

  private String content(Wanted wanted) {
    return new String(endpoint.made(wanted).content(), StandardCharsets.UTF_8);
  }

  @Test
  void made_ofTheSameBlocks_isKept() {
    parts.add(part(1, "a"));
    Made first = endpoint.made(TILE);
    assertThat(endpoint.made(TILE)).isSameAs(first);
    assertThat(blocksRead).isEqualTo(1);
    assertThat(memory.usedBytes()).isEqualTo(first.memoryBytes());
  }

  @Test
  void made_afterAnotherBlock_orItsReplacement_hasIt() {
    parts.add(part(1, "a"));
    assertThat(content(TILE)).contains("\"a\"").doesNotContain("\"b\"");
    parts.add(part(2, "b"));
    assertThat(content(TILE)).contains("\"a\"", "\"b\"");
    parts.set(1, part(3, "c"));
    assertThat(content(TILE)).contains("\"a\"", "\"c\"").doesNotContain("\"b\"");
    parts.clear();
    assertThat(content(TILE)).contains("\"logs\":[]");
  }

  @Test
  void made_afterALoss_hasIt() {
    parts.add(part(1, "a"));
    assertThat(content(TILE)).contains("\"gaps\":[]");
    gaps.add(new Gap("a", new HlcRange(HlcTimestamp.pack(1), HlcTimestamp.pack(2)), 5));
    assertThat(content(TILE)).contains("\"gaps\":[{\"node\":\"a\"");
  }

  @Test
  void made_ofOtherLogs_isAnotherTile() {
    parts.add(part(1, "a"));
    Wanted ofOther = new Wanted(TILE.address(), Set.of("other"), Set.of());
    assertThat(content(TILE)).contains("\"a\"");
    assertThat(content(ofOther)).contains("\"logs\":[]");
    assertThat(content(TILE)).contains("\"a\"");
    assertThat(blocksRead).isEqualTo(1);
  }

  @Test
  void made_whenOthersNeedTheMemory_isMadeAgain() {
    parts.add(part(1, "a"));
    String before = content(TILE);
    try (MemoryBudget.Charge one = memory.charge(128 << 20);
        MemoryBudget.Charge other = memory.charge(128 << 20)) {
      assertThat(one.bytes() + other.bytes()).isEqualTo(memory.totalBytes());
    }
    assertThat(memory.usedBytes()).isZero();
    assertThat(content(TILE)).isEqualTo(before);
    assertThat(blocksRead).isEqualTo(2);
  }

  @Test
  void isComplete_ofATileWithoutAnUnreadBlock_upToItsEndOnly() {
    parts.add(part(1, "a"));
    long end = TILE.address().range().to();
    assertThat(endpoint.made(TILE).isComplete(TILE.address(), end)).isTrue();
    assertThat(endpoint.made(TILE).isComplete(TILE.address(), end - 1)).isFalse();
    TileMaker.Limits none = new TileMaker.Limits(20_000, 0);
    try (TimelineEndpoint small =
        new TimelineEndpoint(Tiles.of(Blocks::new), none, memory, () -> HlcTimestamp.MAX_PACKED)) {
      assertThat(small.made(TILE).isComplete(TILE.address(), end)).isFalse();
    }
  }

  /** The blocks of a long history take much memory, which no budget counts. */
  @Test
  void made_forMany_looksAtTheBlocksOfFourAtATime() throws Exception {
    parts.add(part(1, "a"));
    Made first = endpoint.made(TILE);
    AtomicInteger looking = new AtomicInteger();
    CompletableFuture<Void> looked = new CompletableFuture<>();
    whenLookedAt =
        () -> {
          looking.incrementAndGet();
          looked.join();
        };
    List<Thread> threads = new ArrayList<>();
    Executor starting =
        task -> {
          threads.add(new Thread(task, "reader of a tile"));
          threads.get(threads.size() - 1).start();
        };
    List<CompletableFuture<Made>> readers = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      readers.add(CompletableFuture.supplyAsync(() -> endpoint.made(TILE), starting));
    }
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> threads.stream().allMatch(one -> one.getState() == Thread.State.WAITING));
    assertThat(looking).hasValue(4);
    looked.complete(null);
    for (CompletableFuture<Made> one : readers) {
      assertThat(one.get()).isSameAs(first);
    }
  }

  @Test
  void close_releasesAllMemory() {
    parts.add(part(1, "a"));
    assertThat(content(TILE)).isNotEmpty();
    endpoint.close();
    assertThat(memory.usedBytes()).isZero();
  }
}
