// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.live.PartitionException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NoticedArrivalsTest {
  private final Set<NoticedArrivals> notified = new HashSet<>();
  private final AtomicLong clock = new AtomicLong();
  private final List<Event> stored = new ArrayList<>();
  private boolean isAway;
  private int openCount;
  private final NoticedArrivals arrivals =
      NoticedArrivals.among(notified, this::present, clock::get);

  private EventSource.View present() {
    if (isAway) {
      throw new PartitionException("no server has partition 3");
    }
    openCount++;
    return new InMemoryEventSource(stored, ClockOffsets.UNKNOWN).open();
  }

  private static Event line(String node, long micros) {
    return new Event(
        node, "app", HlcTimestamp.pack(micros), new EventBody.LogLine(node + micros, Map.of()));
  }

  /** A block is stored somewhere, and noticed here. */
  private void store(Event... events) {
    stored.addAll(List.of(events));
    notified.forEach(reader -> reader.noticed(BlockNotice.of(EventBlock.of(List.of(events)))));
  }

  private List<String> take() {
    List<String> messages = new ArrayList<>();
    arrivals.take(event -> messages.add(((EventBody.LogLine) event.body()).message()));
    return messages;
  }

  @Test
  void take_blocksOfSeveralNodes_hasEachEventOnce() {
    store(line("a", 10), line("a", 30));
    store(line("b", 15), line("b", 20));
    assertThat(take()).containsExactly("a10", "b15", "b20", "a30");

    store(line("c", 5), line("c", 25));
    store(line("a", 90));
    assertThat(take()).as("those of the others came before").containsExactly("c5", "c25", "a90");

    openCount = 0;
    assertThat(take()).isEmpty();
    assertThat(openCount).as("nothing is read without a notice").isZero();
  }

  @Test
  void take_partitionMoves_waitsForItAndSaysSo() {
    isAway = true;
    store(line("a", 10));
    assertThat(take()).isEmpty();
    assertThat(arrivals.notes()).containsExactly("lines wait: no server has partition 3");
    assertThat(arrivals.notes()).as("once").isEmpty();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(29));
    assertThat(take()).isEmpty();
    assertThat(arrivals.notes()).isEmpty();

    isAway = false;
    assertThat(take()).containsExactly("a10");
    isAway = true;
    store(line("a", 11));
    assertThat(take()).isEmpty();
    clock.addAndGet(TimeUnit.SECONDS.toNanos(31));
    assertThatThrownBy(this::take).isInstanceOf(LineException.class).hasMessageContaining("3");
  }

  @Test
  void take_someBlocksAreUnknown_endsRatherThanMissLines() {
    store(line("a", 10));
    arrivals.noticed(BlockNotice.ANY);
    assertThatThrownBy(this::take)
        .isInstanceOf(LineException.class)
        .hasMessageContaining("request the lines again");
    arrivals.close();
    assertThat(notified).isEmpty();
  }

  @Test
  void take_tooLate_endsRatherThanMissLines() {
    BlockNotice block = BlockNotice.of(EventBlock.of(List.of(line("a", 10))));
    for (int i = 0; i <= Arrivals.MAX_WAITING; i++) {
      arrivals.noticed(block);
    }
    assertThatThrownBy(this::take)
        .isInstanceOf(LineException.class)
        .hasMessageContaining("faster than their lines were read");
  }

  @Test
  void take_tooManyWhileAPartitionMoves_endsRatherThanKeepThemAll() {
    isAway = true;
    BlockNotice block = BlockNotice.of(EventBlock.of(List.of(line("a", 10))));
    for (int i = 0; i < Arrivals.MAX_WAITING; i++) {
      arrivals.noticed(block);
    }
    assertThat(take()).isEmpty();
    arrivals.noticed(block);
    assertThatThrownBy(this::take)
        .isInstanceOf(LineException.class)
        .hasMessageContaining("faster than their lines were read");
  }
}
