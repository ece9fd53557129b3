// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsAnswer.RunState;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the news that a store has for the servers that follow it. */
class PartitionNewsTest {
  private static final long FEED = 7;
  private long offset = 10;
  private int signals;
  private final List<Incarnation> stored = new ArrayList<>();

  private PartitionNews begin() {
    return new PartitionNews(3, FEED, stored, () -> offset, () -> signals++);
  }

  private static Incarnation run(String node, long micros) {
    Incarnation run = new Incarnation(new Incarnation.Name(node, "i"));
    run.promise(0, HlcTimestamp.pack(micros));
    return run;
  }

  private static EventBlock block(long micros) {
    return new EventBlockBuilder()
        .incarnation("i", 1)
        .add(
            new Event(
                "n",
                "l",
                HlcTimestamp.pack(micros),
                new StateChange(List.of(new Change(Operation.SET, "x", Value.of(1))))))
        .build();
  }

  /** Publishes a block, and the state of its run. */
  private void store(PartitionNews news, long micros) {
    news.stored(block(micros));
    news.heard(List.of(run("n", micros)));
    offset++;
    news.published();
  }

  private static List<Long> stamps(News news) {
    return news.blocks().stream().map(block -> HlcTimestamp.micros(block.firstHlc())).toList();
  }

  @Test
  void since_followerOfTheStore_getsWhatIsNew() throws Exception {
    stored.add(run("n", 100));
    PartitionNews news = begin();
    News first = news.since(new Known(3, 0, 0, 0)).orElseThrow();
    assertThat(first.offset()).isEqualTo(10);
    assertThat(first.isWhole()).as("earlier blocks are not remembered").isFalse();
    assertThat(first.runs()).extracting(RunState::node).containsExactly("n");

    Known known = new Known(3, FEED, first.number(), 10);
    assertThat(news.since(known)).isEmpty();
    store(news, 200);
    assertThat(signals).isEqualTo(1);
    News second = news.since(known).orElseThrow();
    assertThat(second.isWhole()).isTrue();
    assertThat(second.offset()).isEqualTo(11);
    assertThat(HlcTimestamp.micros(second.runs().get(0).run().frontier())).isEqualTo(200);
    assertThat(second.blocks())
        .containsExactly(
            new BlockNotice(
                List.of("n"),
                List.of("l"),
                HlcTimestamp.pack(200),
                HlcTimestamp.pack(200),
                Event.NO_PHYSICAL));
  }

  /** Records that are not published yet may be unreadable. */
  @Test
  void since_storedButNotPublished_isNotReported() {
    PartitionNews news = begin();
    news.stored(block(200));
    news.heard(List.of(run("n", 200)));
    News first = news.since(new Known(3, 0, 0, 0)).orElseThrow();
    assertThat(first.runs()).isEmpty();
    assertThat(first.blocks()).isEmpty();
  }

  /** A release from quarantine, or a forgotten node, changes a store before its offset. */
  @Test
  void since_blockBeforeTheOffsetOfItsRecord_isReportedWithIt() {
    PartitionNews news = begin();
    Known known = new Known(3, FEED, 0, 10);
    news.stored(block(200));
    news.heard(List.of(run("n", 200)));
    news.published();
    Optional<News> early = news.since(known);
    offset++;
    news.published();
    assertThat(stamps(news.since(known).orElseThrow())).containsExactly(200L);
    assertThat(early).as("it would be reported twice").isEmpty();
  }

  @Test
  void since_followerOfAnotherStore_getsAllRunsAndTheBlocksAfterItsOffset() {
    PartitionNews news = begin();
    store(news, 200);
    store(news, 300);
    store(news, 400);
    News all = news.since(new Known(3, 99, 5, 11)).orElseThrow();
    assertThat(all.runs()).hasSize(1);
    assertThat(stamps(all)).containsExactly(300L, 400L);
    assertThat(all.isWhole()).isTrue();
    assertThat(news.since(new Known(3, 99, 5, 14))).as("the store is behind").isEmpty();
    assertThat(news.hasReached(14)).isFalse();
    assertThat(news.hasReached(13)).isTrue();
  }

  @Test
  void since_tooManyBlocks_saysThatSomeAreForgotten() {
    PartitionNews news = begin();
    for (int i = 0; i <= PartitionNews.MAX_BLOCKS; i++) {
      store(news, 200 + i);
    }
    assertThat(news.since(new Known(3, 99, 5, 11)).orElseThrow().isWhole()).isTrue();
    assertThat(news.since(new Known(3, 99, 5, 11)).orElseThrow().notices())
        .hasSize(PartitionNews.MAX_BLOCKS);
    News incomplete = news.since(new Known(3, 99, 5, 10)).orElseThrow();
    assertThat(incomplete.isWhole()).isFalse();
    assertThat(incomplete.blocks()).hasSize(PartitionNews.MAX_BLOCKS);
    BlockNotice any = incomplete.notices().get(0);
    assertThat(any.firstHlc()).isEqualTo(HlcTimestamp.MIN_PACKED);
    LateInterest interest = new LateInterest(Set.of("any"), Set.of("node"), false);
    assertThat(interest.mayTake(any.logs())).isTrue();
  }

  @Test
  void since_manyRuns_comeInParts() {
    for (int i = 0; i <= PartitionNews.MAX_RUNS; i++) {
      stored.add(run("n" + i, 100));
    }
    PartitionNews news = begin();
    News part = news.since(new Known(3, 0, 0, 4)).orElseThrow();
    assertThat(part.isLast()).isFalse();
    assertThat(part.offset()).as("nothing is complete yet").isEqualTo(4);
    News rest = news.since(new Known(3, FEED, part.number(), 4)).orElseThrow();
    assertThat(rest.isLast()).isTrue();
    assertThat(rest.runs()).extracting(RunState::node).containsExactly("n10000");
    assertThat(rest.offset()).isEqualTo(10);
  }

  @Test
  void runState_runThatIsTooFarAhead_isStillSo() throws Exception {
    Incarnation ahead = run("n", 100);
    ahead.promisedTooFarAhead();
    assertThat(RunState.of(ahead).run().isTooFarAhead()).isTrue();
    assertThat(RunState.of(run("n", 100)).run().isTooFarAhead()).isFalse();
  }

  /** The reading of one node would be taken for that of another. */
  @Test
  void notice_blockOfSeveralNodes_hasNoReading() {
    StateChange body = new StateChange(List.of(new Change(Operation.SET, "x", Value.of(1))));
    EventBlockBuilder lines = new EventBlockBuilder().incarnation("", 0);
    for (int i = 1; i <= 2; i++) {
      lines.add(new Event("n" + i, "l", HlcTimestamp.pack(i), i, i, Set.of(), body));
    }
    assertThat(BlockNotice.of(lines.build()).physicalMicros()).isEqualTo(Event.NO_PHYSICAL);
  }
}
