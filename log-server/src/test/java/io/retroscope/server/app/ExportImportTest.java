// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventMark;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value;
import io.retroscope.rql.json.NdjsonWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that every export can be imported, and that a server with the import gives the same
 * answers.
 */
@Timeout(120)
class ExportImportTest {
  private static final long NOW_MICROS = 1_800_000_000_000_000L;
  private static final long START_MICROS = NOW_MICROS - 3_600_000_000L;
  private static final int ROUNDS = Integer.getInteger("retroscope.rounds", 4);

  private static final List<EventMark> MARKS =
      List.of(EventMark.REPAIR, EventMark.UNORDERED, EventMark.UNBOUND);

  private static final List<String> STATEMENTS =
      List.of(
          "SELECT x FROM l",
          "SELECT COUNT(x) FROM l WHEN EXISTS v IN x : v > 3",
          "SELECT message FROM l",
          "SELECT y FROM m",
          "SHOW NODES",
          "SHOW LOGS");

  @TempDir Path directory;

  @Test
  void export_intoAnEmptyServer_givesTheSameAnswersAndExport() throws Exception {
    long first = Long.getLong("retroscope.seed", 20261122);
    for (long seed = first; seed < first + ROUNDS; seed++) {
      try (LogServer original = start("original" + seed);
          LogServer copy = start("copy" + seed)) {
        String what = "seed " + seed;
        HttpProbe from = new HttpProbe(original.uri());
        for (byte[] body : new RandomStore(new Random(seed)).bodies()) {
          HttpProbe.Reply reply =
              body[0] == '{'
                  ? from.post("/v1/events", HttpProbe.NDJSON, "", body)
                  : from.blocks(body);
          assertThat(reply.status()).as("%s: %s", what, reply.body()).isEqualTo(200);
        }
        String export = export(from);
        HttpProbe to = new HttpProbe(copy.uri());

        HttpProbe.Reply imported = to.events(export);

        assertThat(imported.status()).as("%s: %s", what, imported.body()).isEqualTo(200);
        assertThat(imported.body()).as(what).doesNotContain("duplicates");
        assertThat(export(to)).as(what).isEqualTo(export);
        assertThat(answers(to)).as(what).isEqualTo(answers(from));
        // Events are recognised, whatever their sender; heartbeats are not events.
        long heartbeats = export.lines().filter(line -> line.contains("\"heartbeat\"")).count();
        long events =
            export
                .lines()
                .filter(line -> !line.contains("\"lost\"") && !line.contains("\"incomplete\""))
                .count();
        String again =
            "{\"accepted\":%d,\"duplicates\":%d}".formatted(heartbeats, events - heartbeats);
        assertThat(to.events(export).body()).as(what).isEqualTo(again);
        assertThat(from.events(export).body()).as(what).isEqualTo(again);
        assertThat(export(to)).as(what).isEqualTo(export);
        assertThat(export(from)).as(what).isEqualTo(export);
      }
    }
  }

  @Test
  void import_ofAnExportAgain_leavesAnEndedNodeEnded() throws Exception {
    List<Event> events =
        List.of(
            new Event("w", "", hlc(0), new EventBody.Start("r", 0, "", Spill.COMPLETE)),
            new Event(
                "w",
                "l",
                hlc(10),
                new EventBody.StateChange(List.of(new Change(Operation.SET, "x", Value.of(1))))),
            new Event("w", "", hlc(20), new EventBody.Stop()));
    try (LogServer original = start("original");
        LogServer copy = start("copy")) {
      HttpProbe from = new HttpProbe(original.uri());
      EventBlockBuilder block = new EventBlockBuilder();
      events.forEach(block::add);
      // The last promise of a run that has stopped is above its stop.
      from.blocks(
          EventBlockCodec.encode(block.incarnation("r", 1).promise(hlc(25), 0, 100_000).build()));
      String export = from.get("/v1/events").body();
      assertThat(export).contains("\"heartbeat\"");
      HttpProbe to = new HttpProbe(copy.uri());
      to.events(export);
      for (HttpProbe server : List.of(from, to)) {
        server.events(export);
        assertThat(server.get("/v1/nodes").body())
            .containsOnlyOnce("\"state\":\"ended\"")
            .doesNotContain("\"state\":\"live\"", "\"state\":\"silent\"");
      }
    }
  }

  private static long hlc(long millis) {
    return HlcTimestamp.pack(START_MICROS + 1_000 * millis);
  }

  private LogServer start(String name) {
    return LogServer.start(
        ServerConfig.in(directory.resolve(name)).port(0).clock(() -> NOW_MICROS).build());
  }

  /** The export without the warnings about quarantined events, which it does not have. */
  private static String export(HttpProbe http) throws Exception {
    return http.get("/v1/events")
        .body()
        .lines()
        .filter(line -> !line.contains(" in quarantine"))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private static List<String> answers(HttpProbe http) throws Exception {
    List<String> answers = new ArrayList<>();
    for (String statement : STATEMENTS) {
      HttpProbe.Reply reply = http.query(statement);
      // The watermark depends on when a server heard from nodes, not only on what it stores. An
      // export has no quarantined events, and neither the blocks nor the runs that lack something.
      String body =
          reply
              .body()
              .lines()
              .filter(line -> !line.contains("; later cuts are preliminary"))
              .filter(line -> !line.contains(" in quarantine"))
              .filter(line -> !line.contains(" ended without a stop "))
              .filter(line -> !line.contains(" not arrived"))
              .collect(Collectors.joining("\n"));
      answers.add(statement + "\n" + reply.status() + "\n" + body);
    }
    return answers;
  }

  /** Runs of nodes that follow or overlap each other, as blocks and lines in any order. */
  private static final class RandomStore {
    private final Random random;
    private final List<byte[]> bodies = new ArrayList<>();
    private long promise;

    RandomStore(Random random) {
      this.random = random;
      for (int n = 1 + random.nextInt(4); n > 0; n--) {
        addNode("n" + n);
      }
      Collections.shuffle(bodies, random);
    }

    List<byte[]> bodies() {
      return bodies;
    }

    private void addNode(String node) {
      long from = START_MICROS + random.nextInt(50);
      boolean asLines = random.nextInt(4) == 0;
      promise = random.nextInt(3) == 0 ? 5_000_000 : 0;
      StringBuilder lines = new StringBuilder();
      String predecessor = "";
      for (int run = 1 + random.nextInt(3); run > 0; run--) {
        String name = node + "-" + run;
        List<Event> events = run(node, name, predecessor, from);
        if (asLines) {
          events.forEach(event -> lines.append(NdjsonWriter.line(event)).append('\n'));
        } else {
          addBlocks(node, name, events);
        }
        predecessor = random.nextBoolean() ? name : "";
        long last = HlcTimestamp.micros(events.get(events.size() - 1).hlc());
        if (last > NOW_MICROS) {
          break;
        }
        boolean overlaps = !asLines && random.nextInt(2) == 0;
        from = overlaps ? from + 1 + random.nextInt(20) : last + 1 + random.nextInt(500_000);
      }
      if (asLines) {
        bodies.add(lines.toString().getBytes(StandardCharsets.UTF_8));
      }
    }

    private List<Event> run(String node, String name, String predecessor, long from) {
      List<Event> events = new ArrayList<>();
      long micros = from;
      long sequence = 1;
      EventBody start =
          new EventBody.Start(name, HlcTimestamp.MIN_PACKED, predecessor, Spill.COMPLETE);
      events.add(event(node, "", micros, 0, start));
      for (int i = 5 + random.nextInt(40); i > 0; i--) {
        // Small steps, so that overlapping runs have common stamps; occasionally a silence.
        micros += random.nextInt(30) == 0 ? 400_000 : 1 + random.nextInt(3);
        sequence += random.nextInt(15) == 0 ? 2 + random.nextInt(5) : 1;
        events.add(event(node, random.nextInt(4) == 0 ? "m" : "l", micros, sequence, body()));
      }
      if (random.nextInt(3) == 0) {
        events.add(event(node, "", micros + 1, sequence + 1, new EventBody.Stop()));
      } else if (random.nextInt(4) == 0) {
        events.add(event(node, "l", NOW_MICROS + 61_000_000, sequence + 1, body()));
      }
      return events;
    }

    private static boolean isVisible(Event event) {
      return HlcTimestamp.micros(event.hlc()) <= NOW_MICROS;
    }

    private Event event(String node, String log, long micros, long sequence, EventBody body) {
      Set<EventMark> marks =
          random.nextInt(12) == 0 ? Set.of(MARKS.get(random.nextInt(MARKS.size()))) : Set.of();
      return new Event(
          node, log, HlcTimestamp.pack(micros), Event.NO_PHYSICAL, sequence, marks, body);
    }

    private EventBody body() {
      long value = random.nextInt(9);
      return switch (random.nextInt(8)) {
        case 0 -> new EventBody.LogLine("line " + value, Map.of());
        case 1 -> new EventBody.Send("n1", "m" + value);
        case 2 ->
            new EventBody.StateChange(
                List.of(new Change(Operation.UNSET, "x", Value.NullValue.NULL)));
        default ->
            new EventBody.StateChange(
                List.of(
                    new Change(Operation.SET, random.nextBoolean() ? "x" : "y", Value.of(value))));
      };
    }

    private void addBlocks(String node, String run, List<Event> events) {
      long number = 1;
      Event before = events.get(0);
      for (int from = 0, to; from < events.size(); from = to, number++) {
        to = Math.min(events.size(), from + 1 + random.nextInt(15));
        List<Event> part = events.subList(from, to);
        long last = part.get(part.size() - 1).hlc();
        if (number > 1 && random.nextInt(6) == 0) {
          bodies.add(
              EventBlockCodec.encode(
                  new LostBlocks(node, run, number, number, part.size(), part.get(0).hlc(), last)));
        } else {
          EventBlockBuilder builder = new EventBlockBuilder().incarnation(run, number);
          part.forEach(builder::add);
          // A promise from the future would not be accepted.
          Event visible = part.stream().filter(RandomStore::isVisible).reduce(before, (a, b) -> b);
          before = visible;
          bodies.add(
              EventBlockCodec.encode(
                  builder
                      .promise(visible.hlc(), visible.sequence() + random.nextInt(2), promise)
                      .build()));
        }
      }
    }
  }
}
