// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.NaturalOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every source of sealed blocks does, in a server's database or in a single file: the cases of
 * one suite, so that both answer alike.
 */
@Timeout(300)
abstract class SealedSourceContract {
  /** More than two sealed blocks. */
  private static final int MANY = 20_000;

  private static final List<String> QUERIES =
      List.of(
          "SELECT x FROM a",
          "SELECT x, Age(x), Prev(x) FROM a WHEN MAX(x) > 8",
          "SELECT x, y FROM a WHEN SPREAD(x) > 6 EMIT INTERVALS",
          "SELECT a.x, b.x FROM a, b WHEN EXISTS v IN a.x : (v = 3) EMIT EDGES",
          "SELECT s, NODES FROM a",
          "SELECT message, x FROM b",
          "SELECT NAME(v), v FROM a FOR EACH VARIABLE v");

  @TempDir Path folder;

  /** A source with only sealed blocks of the events, which arrive in the order of the list. */
  abstract EventSource sealed(List<Event> arriving) throws IOException;

  @Test
  void views_ofNoEvents_areEmpty() throws IOException {
    EventSource source = sealed(List.of());
    try (View view = source.open()) {
      assertThat(view.logs()).isEmpty();
      assertThat(view.nodes()).isEmpty();
      assertThat(view.extent()).isEmpty();
      assertThat(view.scan(Set.of("a"), HlcRange.ALL).hasNext()).isFalse();
      assertThat(view.gaps(HlcRange.ALL)).isEmpty();
    }
    assertThat(Answers.rowsOrError(source, "SHOW LOGS")).isEmpty();
  }

  @Test
  void scan_ofEveryKindOfEventAndValue_returnsThemInOrder() throws IOException {
    List<Event> events = everything();
    try (View view = sealed(events).open()) {
      assertThat(scan(view, Set.of("a", "b"), HlcRange.ALL)).isEqualTo(ordered(events));
    }
  }

  @Test
  void scan_ofRanges_returnsTheEventsWithin() throws IOException {
    List<Event> events = numbers(MANY);
    List<Event> ordered = ordered(events);
    Random random = new Random(1);
    try (View view = sealed(events).open()) {
      for (int i = 0; i < 24; i++) {
        long one = ordered.get(random.nextInt(MANY)).hlc() + random.nextInt(3) - 1;
        long other = i < 8 ? one : ordered.get(random.nextInt(MANY)).hlc();
        HlcRange range = new HlcRange(Math.min(one, other), Math.max(one, other));
        assertThat(scan(view, Set.of("a"), range))
            .isEqualTo(ordered.stream().filter(event -> range.contains(event.hlc())).toList());
      }
      HlcRange before = new HlcRange(HlcTimestamp.MIN_PACKED, ordered.get(0).hlc() - 1);
      assertThat(scan(view, Set.of("a"), before)).isEmpty();
      assertThat(scan(view, Set.of("other"), HlcRange.ALL)).isEmpty();
    }
  }

  @Test
  void scan_ofEventsThatArriveLate_returnsThemInOrder() throws IOException {
    for (long seed = 1; seed <= 5; seed++) {
      List<Event> late = new ArrayList<>(numbers(MANY / 4));
      Random random = new Random(seed);
      for (int i = 0; i < 30; i++) {
        Event event = late.remove(random.nextInt(late.size()));
        late.add(random.nextInt(late.size()), event);
      }
      Collections.rotate(late, random.nextInt(late.size()));
      Path own = folder;
      folder = folder.resolve("seed" + seed);
      try (View view = sealed(late).open()) {
        assertThat(scan(view, Set.of("a"), HlcRange.ALL))
            .as("seed %d", seed)
            .isEqualTo(ordered(late));
      }
      folder = own;
    }
  }

  @Test
  void catalog_ofManyNames_hasAllWithTheirCounts() throws IOException {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      events.add(
          set(
              "node-" + i % 300 + "-\u00e4\ud83d\ude80",
              "log" + i % 7,
              hlc(1_000 + i),
              "v" + i % 90,
              i));
    }
    try (View view = sealed(events).open()) {
      List<NodeDescription> nodes = view.nodes();
      assertThat(nodes).hasSize(300).allMatch(node -> node.eventCount() == 10);
      assertThat(nodes).extracting(NodeDescription::name).contains("node-299-\u00e4\ud83d\ude80");
      assertThat(nodes).extracting(NodeDescription::firstHlc).contains(hlc(1_000), hlc(1_299));
      List<LogDescription> logs = view.logs();
      assertThat(logs).hasSize(7).allMatch(log -> log.variables().size() == 90);
      assertThat(logs.stream().mapToLong(LogDescription::eventCount).sum()).isEqualTo(3_000);
      assertThat(view.extent()).contains(new HlcRange(hlc(1_000), hlc(3_999)));
      assertThat(view.mayHold("log6")).isTrue();
    }
  }

  @Test
  void rows_fromAnyStart_areThoseOfMemory() throws IOException {
    List<Event> events = everything();
    EventSource sealed = sealed(events);
    EventSource memory = memory(events);
    List<Event> ordered = ordered(events);
    for (String query : QUERIES) {
      assertRows(sealed, memory, query);
      for (int i = 0; i < ordered.size(); i += 37) {
        HlcTimestamp from = new HlcTimestamp(ordered.get(i).hlc());
        String time = " ON TIME " + from + " TO " + new HlcTimestamp(hlc(9_000));
        assertRows(sealed, memory, query + time);
      }
    }
  }

  private static void assertRows(EventSource sealed, EventSource memory, String query) {
    assertThat(Answers.rowsOrError(sealed, query))
        .as(query)
        .isEqualTo(Answers.rowsOrError(memory, query));
  }

  @Test
  void rows_whereZonesAnswer_areThoseOfMemory() throws IOException {
    List<Event> events = numbers(2 * MANY);
    EventSource sealed = sealed(events);
    EventSource memory = memory(events);
    assertRows(sealed, memory, "SELECT x, Age(x) FROM a WHEN SPREAD(x) > 9");
    assertRows(sealed, memory, "SELECT x FROM a WHEN MIN(x) < -9 EMIT INTERVALS");
    String none = "SELECT x FROM a WHEN MAX(x) > 1000";
    assertThat(Answers.rowsOrError(sealed, none)).isEmpty();
    assertThat(Answers.answeredByZones(sealed, none)).isPositive();
  }

  /** Numbers that change a little, of three nodes in turn. */
  private static List<Event> numbers(int count) {
    Random random = new Random(count);
    long[] values = new long[3];
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int node = i % 3;
      values[node] += random.nextInt(3) - 1 - Long.signum(values[node]) * (random.nextInt(9) / 8);
      events.add(set("n" + node, "a", hlc(1_000 + 2L * i), "x", values[node]));
    }
    return events;
  }

  /** Starts, stops, log lines, messages, changes of sets, and values of every type. */
  private static List<Event> everything() {
    Random random = new Random(4);
    List<Event> events = new ArrayList<>();
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put("x", Value.of(1));
    fields.put("text", Value.of("\u00fcber"));
    List<Value> values =
        List.of(
            Value.of(-1),
            Value.of(2.5),
            Value.of(true),
            Value.of("text"),
            NullValue.NULL,
            Value.setOf(Value.of(1), Value.of("b")),
            Value.of(Long.MIN_VALUE));
    for (int i = 0; i < 600; i++) {
      String node = "n" + random.nextInt(3);
      long at = hlc(1_000 + 3L * i);
      EventBody body =
          switch (random.nextInt(12)) {
            case 0 -> new EventBody.LogLine("line " + i, fields);
            case 1 -> new EventBody.Send("n1", "m" + i);
            case 2 -> new EventBody.Receive("n2", "m" + i);
            case 3 -> change(Operation.ADD, "s", Value.setOf(Value.of(random.nextInt(4))));
            case 4 -> change(Operation.REMOVE, "s", Value.setOf(Value.of(random.nextInt(4))));
            case 5 -> change(Operation.UNSET, "y", NullValue.NULL);
            case 6, 7 -> change(Operation.SET, "y", values.get(random.nextInt(values.size())));
            default -> change(Operation.SET, "x", Value.of(random.nextInt(12)));
          };
      events.add(new Event(node, random.nextInt(3) == 0 ? "b" : "a", at, body));
      if (i == 200 || i == 400) {
        EventBody start = new EventBody.Start("r" + i, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE);
        events.add(new Event("n1", "", at + 1, i == 200 ? new EventBody.Stop() : start));
      }
    }
    return events;
  }

  private static EventBody change(Operation operation, String variable, Value value) {
    return new EventBody.StateChange(List.of(new Change(operation, variable, value)));
  }

  private static EventSource memory(List<Event> events) {
    return new InMemoryEventSource(ordered(events), ClockOffsets.UNKNOWN);
  }

  private static List<Event> ordered(List<Event> events) {
    List<Event> ordered = new ArrayList<>(events);
    ordered.sort(
        Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE));
    return ordered;
  }

  private static List<Event> scan(View view, Set<String> logs, HlcRange range) {
    List<Event> found = new ArrayList<>();
    view.scan(logs, range).forEachRemaining(event -> found.add(event.of("")));
    return found;
  }
}
