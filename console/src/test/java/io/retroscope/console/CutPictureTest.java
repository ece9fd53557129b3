// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.JsonValues;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares the picture of a cut with queries and with a search through all events. */
class CutPictureTest {
  private static final SilenceLimits SILENCE =
      new SilenceLimits(QueryLimits.DEFAULT.idleTimeoutMicros());
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final long START = 1_795_200_000_000_000L;
  private static final List<String> NODES = List.of("a", "b", "c", "d");

  @Test
  void table_randomCuts_isThatOfSelect() throws Exception {
    compare(200);
  }

  @Test
  @Tag("slow")
  void table_manyRandomCuts_isThatOfSelect() throws Exception {
    compare(1_000);
  }

  private static void compare(int cuts) throws Exception {
    long seed = Long.getLong("console.seed", System.nanoTime());
    System.out.println("CutPictureTest: -Dconsole.seed=" + seed);
    Random random = new Random(seed);
    List<Event> events = history(random, 600);
    EventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    int values = 0;
    int flying = 0;
    try (View view = source.open()) {
      for (int i = 0; i < cuts; i++) {
        long hlc = cut(random, events);
        JsonNode picture = picture(view, hlc, EnumSet.allOf(CutPicture.Part.class));
        Map<String, String> table = table(picture);
        assertThat(table).as("at %s", HlcTimestamp.text(hlc)).isEqualTo(select(engine, hlc));
        JsonNode dragged = picture(view, hlc, EnumSet.of(CutPicture.Part.VALUES));
        assertThat(withoutAges(picture.get("nodes"))).isEqualTo(dragged.get("nodes").toString());
        assertThat(picture.get("inFlightCount").asInt()).isEqualTo(inFlight(events, hlc));
        assertThat(picture.get("unreceivedCount").asInt()).isEqualTo(unreceived(events, hlc));
        assertThat(picture.get("previous").toString()).isEqualTo(step(events, hlc, false));
        assertThat(picture.get("next").toString()).isEqualTo(step(events, hlc, true));
        values += table.size();
        flying += picture.get("inFlightCount").asInt();
      }
    }
    // Otherwise nothing was compared.
    assertThat(values).isGreaterThan(cuts);
    assertThat(flying).isPositive();
  }

  /** The line above the table has the time of a cut and its uncertainty, as rows have. */
  @Test
  void time_ofCutsAtEachEvent_isThatOfSelect() throws Exception {
    long seed = Long.getLong("console.seed", System.nanoTime());
    System.out.println("CutPictureTest: -Dconsole.seed=" + seed);
    Random random = new Random(seed);
    List<Event> events = history(random, 600).stream().map(CutPictureTest::withReading).toList();
    EventSource source = new InMemoryEventSource(events, new Clocks(events.get(300).hlc()));
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    Set<String> seen = new HashSet<>();
    try (View view = source.open()) {
      // At each event: a cut between events has no time of a clock.
      for (Event event : events) {
        long hlc = event.hlc();
        JsonNode picture = picture(view, hlc, EnumSet.of(CutPicture.Part.VALUES));
        Map<String, String> row = cells(engine, hlc);
        assertThat(picture.get("uncertaintyMicros").toString())
            .as("at %s", HlcTimestamp.text(hlc))
            .isEqualTo(row.get("uncertaintyMicros"));
        assertThat(picture.get("micros").asLong()).isEqualTo(micros(row.get("time")));
        assertThat(picture.get("clock").asString()).isEqualTo("a");
        seen.add(row.get("uncertaintyMicros"));
      }
    }
    // Otherwise nothing was compared.
    assertThat(seen).contains("null", "0").hasSizeGreaterThan(3);
  }

  /**
   * Clocks that are behind that of {@code a}, each with another uncertainty, about which nothing is
   * known up to a stamp.
   */
  private record Clocks(long unknownUpTo) implements ClockOffsets {
    @Override
    public Optional<String> referenceNode() {
      return Optional.of("a");
    }

    @Override
    public Optional<Offset> offset(String node, long hlc) {
      if (hlc <= unknownUpTo) {
        return Optional.empty();
      }
      long number = NODES.indexOf(node);
      return Optional.of(
          new Offset(
              number * 1_000, OptionalLong.of(number * 900), OptionalLong.of(number * 1_200)));
    }
  }

  /** The event with the reading of its node's clock. */
  private static Event withReading(Event event) {
    long reading = HlcTimestamp.micros(event.hlc()) - 1_000L * NODES.indexOf(event.node());
    return new Event(
        event.node(),
        "",
        event.log(),
        event.hlc(),
        reading,
        Event.NO_SEQUENCE,
        Set.of(),
        event.body());
  }

  private static long micros(String time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(time.replace("\"", "")));
  }

  /** The rows of silent nodes say of each cut what its picture says. */
  @Test
  void silences_areThoseOfTheCuts() {
    List<Event> events = new ArrayList<>();
    long[] seconds = {1, 2, 3, 20, 21, 22, 60, 61, 300};
    for (long second : seconds) {
      long hlc = HlcTimestamp.pack(START + second * 1_000_000);
      if (second < 20 || second > 40) {
        events.add(new Event("a", "app", hlc, change(Operation.SET, "x", Value.of(second))));
      }
      events.add(new Event("b", "app", hlc + 1, change(Operation.SET, "x", Value.of(second))));
    }
    events.add(new Event("c", "", HlcTimestamp.pack(START + 1_500_000), start("1")));
    events.add(new Event("c", "", HlcTimestamp.pack(START + 2_000_000), new EventBody.Stop()));
    events.sort(Comparator.comparingLong(Event::hlc));
    EventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    try (View view = source.open()) {
      JsonNode rows =
          JSON.readTree(SilentStretches.json(view, view.extent().orElseThrow(), SILENCE))
              .get("silent");
      // Later gaps are shorter than ten times the longest before them.
      assertThat(rows.toString())
          .isEqualTo(
              "[[\"b\",\"silent\",\"%s\",\"%s\"],[\"a\",\"silent\",\"%s\",\"%s\"],[\"c\",\"stopped\",\"%s\",null]]"
                  .formatted(at(3, 1), at(20, 1), at(3, 0), at(60, 0), at(2, 0)));
      for (JsonNode row : rows) {
        long until =
            row.get(3).isNull()
                ? view.extent().orElseThrow().to()
                : HlcTimestamp.parse(row.get(3).asString()) - 1;
        JsonNode picture = picture(view, until, EnumSet.of(CutPicture.Part.VALUES));
        assertThat(state(picture, row.get(0).asString())).isEqualTo(row.get(1).asString());
      }
    }
  }

  /** What lasts is what a user must see first, however much has ended. */
  @Test
  void silences_tooMany_omitsNoneThatLasts() {
    List<Event> events = new ArrayList<>();
    for (long second : new long[] {1, 2, 60}) {
      long hlc = HlcTimestamp.pack(START + second * 1_000_000);
      for (int node = 0; node <= SilentStretches.MAX_ENDED + 1; node++) {
        if (node > 0 || second < 60) {
          String name = "n" + node;
          events.add(new Event(name, "app", hlc, change(Operation.SET, "x", Value.of(second))));
        }
      }
    }
    EventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    try (View view = source.open()) {
      JsonNode answer =
          JSON.readTree(SilentStretches.json(view, view.extent().orElseThrow(), SILENCE));
      assertThat(answer.get("complete").asBoolean()).isFalse();
      JsonNode rows = answer.get("silent");
      assertThat(rows).hasSize(SilentStretches.MAX_ENDED + 1);
      JsonNode last = rows.get(SilentStretches.MAX_ENDED);
      assertThat(last.toString()).isEqualTo("[\"n0\",\"silent\",\"%s\",null]".formatted(at(2, 0)));
    }
  }

  private static String at(long second, int logical) {
    return HlcTimestamp.text(HlcTimestamp.pack(START + second * 1_000_000, logical));
  }

  private static String state(JsonNode picture, String name) {
    for (JsonNode node : picture.get("nodes")) {
      if (node.get("node").asString().equals(name)) {
        return node.get("state").asString();
      }
    }
    return "absent";
  }

  /** A stamp of an event, or one near it. */
  private static long cut(Random random, List<Event> events) {
    long hlc = events.get(random.nextInt(events.size())).hlc();
    return hlc + random.nextInt(3) - 1;
  }

  private static List<Event> history(Random random, int count) {
    List<Event> events = new ArrayList<>();
    List<String> sent = new ArrayList<>();
    long micros = START;
    int messages = 0;
    for (String node : NODES) {
      events.add(new Event(node, "", HlcTimestamp.pack(micros++), start("1")));
    }
    while (events.size() < count) {
      micros += 1 + random.nextInt(20_000);
      String node = NODES.get(random.nextInt(NODES.size()));
      long hlc = HlcTimestamp.pack(micros, random.nextInt(3));
      switch (random.nextInt(8)) {
        case 0 -> {
          String id = "m" + (random.nextInt(5) == 0 ? random.nextInt(3) : messages++);
          sent.add(id);
          events.add(new Event(node, "net", hlc, new EventBody.Send("", id)));
        }
        case 1, 2 -> {
          String id =
              sent.isEmpty() || random.nextInt(9) == 0
                  ? "lost" + messages++
                  : sent.get(Math.max(0, sent.size() - 1 - random.nextInt(4)));
          events.add(new Event(node, "net", hlc, new EventBody.Receive("", id)));
        }
        case 3 ->
            events.add(new Event(node, "app", hlc, change(Operation.UNSET, "x", NullValue.NULL)));
        case 4 -> {
          EventBody body = random.nextInt(6) == 0 ? new EventBody.Stop() : start("r" + messages++);
          events.add(new Event(node, "", hlc, body));
        }
        default -> {
          String name = random.nextBoolean() ? "x" : "y";
          Value value =
              random.nextBoolean()
                  ? Value.of((long) random.nextInt(4))
                  : Value.of("v" + random.nextInt(3));
          events.add(new Event(node, "app", hlc, change(Operation.SET, name, value)));
        }
      }
    }
    events.sort(Comparator.comparingLong(Event::hlc));
    return events;
  }

  private static EventBody start(String run) {
    return new EventBody.Start(run, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE);
  }

  private static EventBody change(Operation operation, String name, Value value) {
    return new EventBody.StateChange(List.of(new EventBody.Change(operation, name, value)));
  }

  private static JsonNode picture(View view, long hlc, Set<CutPicture.Part> parts) {
    CutPicture.Selection selection = new CutPicture.Selection(Set.of("app"), Set.of());
    return JSON.readTree(CutPicture.json(view, hlc, selection, SILENCE, parts));
  }

  /** The text of nodes, of which only the times since when values hold are left out. */
  private static String withoutAges(JsonNode nodes) {
    return nodes.toString().replaceAll("\"hlc\":\"[0-9.]+\",\"ageMicros\":[0-9]+,", "");
  }

  private static Map<String, String> table(JsonNode picture) {
    Map<String, String> table = new TreeMap<>();
    for (JsonNode node : picture.get("nodes")) {
      for (JsonNode value : node.get("values")) {
        table.put(
            value.get("variable").asString() + "@" + node.get("node").asString(),
            value.get("value").toString());
      }
    }
    return table;
  }

  /**
   * The pairs of a send and a receipt between which the cut is: each receipt is that of the latest.
   */
  private static int inFlight(List<Event> events, long hlc) {
    int count = 0;
    for (Event receipt : events) {
      Event send = sendOf(events, receipt);
      count += send != null && send.hlc() <= hlc && receipt.hlc() > hlc ? 1 : 0;
    }
    return count;
  }

  private static int unreceived(List<Event> events, long hlc) {
    Set<Event> waiting = new HashSet<>();
    events.stream()
        .filter(event -> event.body() instanceof EventBody.Send && event.hlc() <= hlc)
        .forEach(waiting::add);
    events.forEach(receipt -> waiting.remove(sendOf(events, receipt)));
    return waiting.size();
  }

  private static @Nullable Event sendOf(List<Event> events, Event receipt) {
    Event latest = null;
    if (receipt.body() instanceof EventBody.Receive receive) {
      for (Event event : events) {
        boolean isSend =
            event.body() instanceof EventBody.Send send && send.id().equals(receive.id());
        latest = isSend && event.hlc() < receipt.hlc() ? event : latest;
      }
    }
    return latest;
  }

  private static String step(List<Event> events, long hlc, boolean isNext) {
    String nearest = "null";
    for (Event event : events) {
      boolean isCut = event.log().equals("app") || event.log().isEmpty();
      if (isCut && isNext && event.hlc() > hlc) {
        return "\"" + HlcTimestamp.text(event.hlc()) + "\"";
      }
      if (isCut && !isNext && event.hlc() < hlc) {
        nearest = "\"" + HlcTimestamp.text(event.hlc()) + "\"";
      }
    }
    return nearest;
  }

  private static Map<String, String> select(QueryEngine engine, long hlc) throws Exception {
    Map<String, String> table = cells(engine, hlc);
    table.keySet().removeIf(name -> !name.contains("@"));
    return table;
  }

  /** The values of the row at a stamp, those of variables as {@code variable@node}. */
  private static Map<String, String> cells(QueryEngine engine, long hlc) throws Exception {
    Map<String, String> table = new TreeMap<>();
    String statement = "SELECT * FROM app ON TIME hlc'" + HlcTimestamp.text(hlc) + "'";
    engine.run(
        engine.prepare(statement),
        new RowSink() {
          private List<Column> columns = List.of();

          @Override
          public void columns(List<Column> all) {
            columns = all;
          }

          @Override
          public boolean row(Row row) {
            for (int i = 0; i < columns.size(); i++) {
              String variable = columns.get(i).name();
              if (columns.get(i).automatic()) {
                table.put(variable, JsonValues.text(row.values().get(i)));
              } else if (row.values().get(i) instanceof StructValue nodes) {
                nodes
                    .fields()
                    .forEach(
                        (node, value) -> table.put(variable + "@" + node, JsonValues.text(value)));
              }
            }
            return true;
          }

          @Override
          public void warning(String message) {}
        });
    return table;
  }
}
