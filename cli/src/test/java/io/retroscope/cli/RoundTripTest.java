// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that exported events give the same results and warnings after an import into another
 * server, or when queried as a file.
 */
class RoundTripTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final String NODE_LINE = "{\"node\":\"%s\",\"hlc\":%d,%s}\n";

  private static final List<String> QUERIES =
      List.of(
          "SHOW LOGS;",
          "SHOW NODES;",
          "SHOW ALIGNMENT;",
          "SHOW VARIABLES;",
          "DESCRIBE setd;",
          "SELECT * FROM setd;",
          "SELECT role FROM setd AT LIVE NODES;",
          "SELECT role FROM setd WHEN COUNT(role) >= 1 EMIT INTERVALS;",
          "SELECT message, level FROM app;",
          "SELECT send, receive FROM net;",
          "SELECT members FROM setd WHEN EXISTS m IN Flatten(members) : (m = 'b') EMIT EDGES;");

  @TempDir Path folder;

  private static Event event(String node, String log, long millis, EventBody body) {
    long micros = START_MICROS + millis * 1_000;
    return new Event(node, log, HlcTimestamp.pack(micros, 3), micros - 40, 0, Set.of(), body);
  }

  private static EventBody change(Operation operation, String variable, Value value) {
    return new EventBody.StateChange(List.of(new Change(operation, variable, value)));
  }

  /** All kinds of events of a node, with losses, silence and a restart, as sent by its sink. */
  private static byte[] blocks() throws IOException {
    EventBody start = new EventBody.Start("i2", HlcTimestamp.pack(7), "i1", EventBody.Spill.LOST);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    write(
        bytes,
        "a",
        "i1",
        1,
        400,
        event("a", "setd", 0, change(Operation.SET, "role", Value.of("leader"))),
        event("a", "setd", 10, change(Operation.SET, "members", Value.setOf(Value.of("a")))),
        event("a", "net", 20, new EventBody.Send("b", "m1")),
        event("a", "net", 30, new EventBody.Send("b", "m2")));
    long lostFrom = HlcTimestamp.pack(START_MICROS + 410_000);
    long lostTo = HlcTimestamp.pack(START_MICROS + 480_000);
    bytes.write(EventBlockCodec.encode(new LostBlocks("a", "i1", 2, 3, 17, lostFrom, lostTo)));
    write(bytes, "a", "i1", 3, 490);
    Event repaired = event("b", "setd", 60, change(Operation.SET, "role", Value.of(2.0)));
    write(
        bytes,
        "b",
        "j1",
        1,
        3_000,
        event("b", "net", 40, new EventBody.Receive("a", "m1")),
        event("b", "setd", 50, change(Operation.ADD, "members", Value.setOf(Value.of("b")))),
        new Event(
            repaired.node(),
            repaired.log(),
            repaired.hlc(),
            Event.NO_PHYSICAL,
            9,
            Set.of(EventMark.REPAIR),
            repaired.body()),
        event(
            "b", "app", 70, new EventBody.LogLine("slow,\n\"so\"", Map.of("level", Value.of("W")))),
        event("b", "setd", 80, change(Operation.UNSET, "role", Value.NullValue.NULL)));
    write(
        bytes,
        "a",
        "i2",
        1,
        4_000,
        event("a", "", 2_500, start),
        event("a", "setd", 2_510, change(Operation.SET, "role", Value.of("follower"))));
    write(bytes, "b", "j1", 2, 3_500, event("b", "", 3_400, new EventBody.Stop()));
    return bytes.toByteArray();
  }

  private static void write(
      ByteArrayOutputStream bytes,
      String node,
      String incarnation,
      long number,
      long promiseMillis,
      Event... events)
      throws IOException {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation(incarnation, number);
    boolean empty = events.length == 0;
    if (empty) {
      builder.nodeIndex(node);
    }
    for (Event event : events) {
      builder.add(event);
    }
    long promise = HlcTimestamp.pack(START_MICROS + promiseMillis * 1_000);
    bytes.write(EventBlockCodec.encode(builder.promise(promise, 0).build()));
  }

  private LogServer server(String name) {
    return LogServer.start(ServerConfig.in(folder.resolve(name)).port(0).build());
  }

  @Test
  void importedBlocks_exportedAndImportedAgain_answerAlike() throws Exception {
    Path blocks = Files.write(folder.resolve("events.rtsb"), blocks());
    Path exported = folder.resolve("exported.ndjson");
    List<String> first;
    List<String> second;
    try (LogServer one = server("one");
        LogServer two = server("two")) {
      String from = one.uri().toString();
      String to = two.uri().toString();
      CommandRun imported = CommandRun.of("import", blocks.toString(), "--server", from);
      assertThat(imported.out()).endsWith("; the files say that 17 more events were lost\n");
      assertThat(CommandRun.of("export", "--server", from, "--to", exported.toString()).exitCode())
          .isZero();
      assertThat(CommandRun.of("import", exported.toString(), "--server", to).exitCode()).isZero();
      try (Session a = new RqlClient(one.uri());
          Session b = new RqlClient(two.uri())) {
        first = answers(a);
        second = answers(b);
      }
      assertThat(CommandRun.of("export", "--server", to).out())
          .isEqualTo(Files.readString(exported));
    }

    assertThat(second).isEqualTo(first);
    assertThat(answers(exported)).isEqualTo(first);
    assertThat(answers(blocks)).isEqualTo(first);
    assertThat(first).anyMatch(line -> line.startsWith("warning: 17 events of node a are lost"));
  }

  @Test
  void blocksToAFile_andThenAServer_answerAlike() throws Exception {
    Path blocks = Files.write(folder.resolve("events.rtsb"), blocks());
    Path lines = folder.resolve("events.ndjson");
    CommandRun run = CommandRun.of("import", blocks.toString(), "--to", lines.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(answers(lines)).isEqualTo(answers(blocks));
    assertThat(Files.readString(lines)).contains("\"lost\":{", "\"marks\":[\"repair\"]");
  }

  /**
   * One node never promises a heartbeat, one every 100 ms; both fall silent after nearly a minute,
   * for a shorter time.
   */
  @Test
  void silentNodes_exportedAndImportedAgain_areNamedAlike() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int step = 0; step <= 840; step++) {
      long hlc = START_MICROS + step * 100_000L;
      if (step >= 120 && step < 700 && step % 2 == 0) {
        lines.append(change("dense", hlc, step));
      }
      if (step >= 200 && step < 780) {
        lines.append(NODE_LINE.formatted("beats", hlc, "\"heartbeat\":true,\"promise\":100000"));
      }
      if (step % 20 == 0) {
        lines.append(change("rare", hlc, -step));
        lines.append(step >= 200 && step < 780 ? change("beats", hlc, step) : "");
      }
    }
    Path given = Files.writeString(folder.resolve("given.ndjson"), lines);
    Path exported = folder.resolve("exported.ndjson");
    List<String> first;
    List<String> second;
    try (LogServer one = server("one");
        LogServer two = server("two")) {
      String from = one.uri().toString();
      String to = two.uri().toString();
      assertThat(CommandRun.of("import", given.toString(), "--server", from).exitCode()).isZero();
      assertThat(CommandRun.of("export", "--server", from, "--to", exported.toString()).exitCode())
          .isZero();
      assertThat(CommandRun.of("import", exported.toString(), "--server", to).exitCode()).isZero();
      try (Session a = new RqlClient(one.uri());
          Session b = new RqlClient(two.uri())) {
        first = silence(a);
        second = silence(b);
      }
    }

    assertThat(first)
        .singleElement()
        .asString()
        .contains("beats silent since", "dense silent since");
    assertThat(second).isEqualTo(first);
    assertThat(silence(exported)).isEqualTo(first);
    assertThat(silence(given)).isEqualTo(first);
  }

  private static String change(String node, long hlc, int value) {
    return NODE_LINE.formatted(node, hlc, "\"log\":\"l\",\"set\":{\"x\":%d}".formatted(value));
  }

  private static List<String> silence(Path file) throws IOException {
    try (Session session =
        EventFileSet.of(file, RoundTripTest::offsets).session(QueryLimits.DEFAULT)) {
      return silence(session);
    }
  }

  private static List<String> silence(Session session) throws IOException {
    List<String> answers = answers(session, List.of("SELECT COUNT(x) FROM l WHEN COUNT(x) < 0"));
    answers.removeIf(line -> !line.contains("silent"));
    return answers;
  }

  private static List<String> answers(Path file) throws IOException {
    try (Session session =
        EventFileSet.of(file, RoundTripTest::offsets).session(QueryLimits.DEFAULT)) {
      return answers(session);
    }
  }

  private static ClockOffsets offsets(Iterable<Event> events) {
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    events.forEach(alignment::record);
    return alignment.offsets();
  }

  private static List<String> answers(Session session) throws IOException {
    return answers(session, QUERIES);
  }

  private static List<String> answers(Session session, List<String> queries) throws IOException {
    List<String> answers = new ArrayList<>();
    for (String query : queries) {
      answers.add(query);
      session.run(
          query,
          new RowSink() {
            private List<Column> columns = List.of();

            @Override
            public void columns(List<Column> found) {
              columns = found;
            }

            @Override
            public boolean row(Row row) {
              return answers.add(RowJson.text(columns, row));
            }

            @Override
            public void warning(String message) {
              answers.add("warning: " + message);
            }
          });
    }
    return answers;
  }
}
