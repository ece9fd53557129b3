// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where the bounds of clocks say that an order is sure, it is the order in true time. */
class ClockOrderTest {
  private static final int HISTORIES = 3_000;
  private static final long START = 1_000_000_000L;

  /** Events of nodes with wrong clocks, whose offsets from the first one's are bounded. */
  private static final class History implements ClockOffsets {
    private final Map<String, Long> skews = new HashMap<>();
    private final Map<Event, Long> trueMicros = new HashMap<>();
    private final Random random;
    private final long width;

    History(long seed) {
      random = new Random(seed);
      width = 1L + random.nextInt(2_000);
      int nodes = 1 + random.nextInt(3);
      Map<String, Long> last = new HashMap<>();
      long now = START;
      for (int i = 0; i < 12; i++) {
        now += 1 + random.nextInt(20_000);
        String node = "n" + random.nextInt(nodes);
        long skew =
            skews.computeIfAbsent(node, n -> n.equals("n0") ? 0L : random.nextInt(5_000) - 2_500L);
        long reading = now + skew;
        long stamp =
            Math.max(HlcTimestamp.pack(reading), last.getOrDefault(node, Long.MIN_VALUE) + 1);
        last.put(node, stamp);
        EventBody body =
            new EventBody.StateChange(List.of(new Change(Operation.SET, "x", Value.of(i))));
        trueMicros.put(new Event(node, "t", stamp, reading, 0, Set.of(), body), now);
      }
    }

    List<Event> byStamps() {
      return trueMicros.keySet().stream().sorted(Comparator.comparingLong(Event::hlc)).toList();
    }

    long micros(Event event) {
      return trueMicros.getOrDefault(event, 0L);
    }

    EventSource.View view() {
      return new InMemoryEventSource(byStamps(), Set.of(), Set.of(), this).open();
    }

    @Override
    public Optional<String> referenceNode() {
      return Optional.of("n0");
    }

    /** Bounds around the true offset, which is at any place within them. */
    @Override
    public Optional<Offset> offset(String node, long hlc) {
      long real = -skews.getOrDefault(node, 0L);
      long half = node.equals("n0") ? 0 : width;
      return Optional.of(
          new Offset(real, OptionalLong.of(real - half), OptionalLong.of(real + half / 3)));
    }
  }

  private static boolean isSure(History history, Optional<HlcRange> run) {
    try (EventSource.View view = history.view()) {
      return ClockOrder.of(view, Interest.inAll(Set.of("t")), HlcRange.ALL, run).isSure();
    }
  }

  @Test
  void sureOrder_isThatOfTrueTime() {
    int sure = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = new History(seed);
      if (isSure(history, Optional.empty())) {
        sure++;
        assertThat(history.byStamps().stream().map(history::micros).toList())
            .as("seed %d", seed)
            .isSorted();
      }
    }
    assertThat(sure).isBetween(HISTORIES / 20, HISTORIES * 19 / 20);
  }

  @Test
  void sureRun_hasACutOfTrueTime() {
    int sure = 0;
    for (long seed = 0; seed < HISTORIES; seed++) {
      History history = new History(seed);
      List<Event> events = history.byStamps();
      int from = history.random.nextInt(events.size() - 1);
      int to = from + 1 + history.random.nextInt(events.size() - from - 1);
      HlcRange run = new HlcRange(events.get(from).hlc(), events.get(to).hlc());
      if (isSure(history, Optional.of(run))) {
        sure++;
        assertThat(hasTrueCut(history, events, from, to)).as("seed %d", seed).isTrue();
      }
    }
    assertThat(sure).isGreaterThan(HISTORIES / 20);
  }

  private static boolean hasTrueCut(History history, List<Event> events, int from, int to) {
    for (int cut = from; cut < to; cut++) {
      long last = events.subList(0, cut + 1).stream().mapToLong(history::micros).max().orElse(0);
      long next = events.stream().skip(cut + 1).mapToLong(history::micros).min().orElse(0);
      if (last < next) {
        return true;
      }
    }
    return false;
  }

  @Test
  void clockWithoutBounds_isNotSure() {
    List<Event> events = new ArrayList<>(new History(1).byStamps());
    try (EventSource.View view =
        new InMemoryEventSource(events, Set.of(), Set.of(), ClockOffsets.UNKNOWN).open()) {
      ClockOrder order =
          ClockOrder.of(view, Interest.inAll(Set.of("t")), HlcRange.ALL, Optional.empty());
      assertThat(order.isSure()).isFalse();
    }
  }
}
