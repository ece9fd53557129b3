// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.LogWrites;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that DESCRIBE returns the same result from the sums of blocks as from every event. */
@Timeout(60)
class LogWritesTest {
  @TempDir Path directory;

  @Test
  void writes_ofRandomHistories_areThoseOfTheEvents() {
    long seed = Long.getLong("retroscope.seed", 20261122);
    for (int round = 0; round < 5; round++) {
      Path own = directory.resolve("round" + round);
      try (EventStore store = StoreFixture.open(own)) {
        new RandomHistory(new Random(seed + round)).appendTo(store);
        assertSame(store, "seed " + (seed + round));
      }
      try (EventStore store = StoreFixture.open(own)) {
        assertSame(store, "opened again, seed " + (seed + round));
      }
    }
  }

  @Test
  void writes_ofLinesAndMessages_areThoseOfTheEvents() {
    try (EventStore store = StoreFixture.open(directory)) {
      List<Event> events = new ArrayList<>();
      events.add(set("a", "l", hlc(1), "x", 1));
      events.add(line("a", 2, Map.of("level", Value.of("INFO"), "fields", Value.of(1))));
      events.add(line("b", 3, Map.of("level", Value.of(3))));
      events.add(new Event("a", "l", hlc(4), new EventBody.Send("b", "m")));
      events.add(new Event("b", "l", hlc(5), new EventBody.Receive("a", "m")));
      store.append(lines(events)).join();
      assertSame(store, "lines");
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.writes("l", () -> false).byVariable())
            .containsOnlyKeys("x", "level", "message", "send", "receive");
        assertThat(view.blockReads().orElseThrow().count().read()).isZero();
      }
    }
  }

  @Test
  void writes_ofANameThatIsUsedInTwoWays_areThoseOfTheEvents() {
    try (EventStore store = StoreFixture.open(directory)) {
      store.append(lines(line("a", 1, Map.of("x", Value.of(1))))).join();
      store.append(frames(block("i", 1, hlc(2), List.of(set("a", "l", hlc(2), "x", 2))))).join();
      store.append(lines(line("a", 3, Map.of("x", Value.of("late"))))).join();
      assertSame(store, "two ways");
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.writes("l", () -> false).byVariable().get("x").count()).isEqualTo(2);
      }
    }
  }

  private static Event line(String node, long micros, Map<String, Value> fields) {
    return new Event(node, "l", hlc(micros), new EventBody.LogLine("text", fields));
  }

  private static void assertSame(EventStore store, String what) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      List<LogDescription> logs = view.logs();
      assertThat(logs).isNotEmpty();
      for (LogDescription log : logs) {
        LogWrites slow = new LogWrites();
        view.scan(Set.of(log.name()), HlcRange.ALL)
            .forEachRemaining(
                event -> {
                  if (event.log().equals(log.name())) {
                    slow.add(event);
                  }
                });
        assertThat(texts(view.writes(log.name(), () -> false))).as(what).isEqualTo(texts(slow));
      }
    }
  }

  private static Map<String, String> texts(LogWrites writes) {
    Map<String, String> texts = new TreeMap<>();
    writes
        .byVariable()
        .forEach(
            (variable, own) ->
                texts.put(
                    variable,
                    "%s %d %d %d"
                        .formatted(own.types(), own.nodeCount(), own.count(), own.lastHlc())));
    return texts;
  }
}
