// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.compress.zstd.ZstdOutputStream;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of commands over events of which something is known to be missing. */
class CompletenessCommandTest {
  private static final String LEASE =
      """
      {"hlc":"1795200000000000.0","node":"a","log":"lease","set":{"holds":true}}
      {"hlc":"1795200000000000.0","node":"b","log":"lease","set":{"holds":false}}
      {"hlc":"1795200005000000.0","node":"b","log":"lease","set":{"holds":true}}
      {"hlc":"1795200006000000.0","node":"b","log":"lease","set":{"holds":false}}
      {"hlc":"1795200007000000.0","node":"a","log":"lease","set":{"holds":false}}
      """;
  private static final String ONE_HOLDER =
      "CREATE RULE one AS (NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease);\n";

  /** What follows the last complete stamp. */
  private static final String AGE =
      " \\([0-9.]+ (s|min|hours|days) ago\\)|, the last stamp of the events";

  @TempDir Path folder;

  @Test
  void check_aPartOfAnExport_isInconclusive() throws IOException {
    Path whole = write("lease.ndjson", LEASE);
    assertThat(check(ONE_HOLDER, whole).exitCode()).isEqualTo(1);

    Path later = export(whole, "--from", "1795200004000000.0");
    CommandRun run = check(ONE_HOLDER, later);
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out())
        .contains(
            "the events are a part of a recording: only from 2026-11-20T18:40:04.000000Z, without"
                + " the state there");
    Path one = export(whole, "--node", "a");
    assertThat(check(ONE_HOLDER, one).exitCode()).isEqualTo(5);
    String ofA = "CREATE RULE a AS (NEVER holds@a IS NULL FROM lease);\n";
    assertThat(check(ofA, one).exitCode()).isZero();
    Path earlier = export(whole, "--until", "1795200004000000.0");
    assertThat(check(ONE_HOLDER, earlier).exitCode()).isZero();
  }

  @Test
  void check_aPartWithItsState_isDecidedAsTheWhole() throws IOException {
    Path whole = write("lease.ndjson", LEASE);
    String from = "1795200004000000.0";
    Path part = export(whole, "--from", from, "--with-state");
    assertThat(Files.readString(part))
        .startsWith("{\"incomplete\":{\"kind\":\"part\"")
        .contains("\"start\":true");
    CommandRun run = check(ONE_HOLDER, part);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out())
        .contains("at 2026-11-20T18:40:05.000000Z, for 1.000 s")
        .doesNotContain("provisional");
    String never = "CREATE RULE none AS (NEVER holds@a IS NULL FROM lease);\n";
    assertThat(check(never, part).exitCode()).isZero();
    assertThat(check(never, part, "--from", "1795200003000000.0").exitCode()).isEqualTo(5);
    String before = "CREATE RULE b AS (ALWAYS holds@b AFTER holds@a AND NOT holds@b FROM lease);\n";
    assertThat(check(before, whole).exitCode()).isZero();
    assertThat(check(before, part).exitCode()).isEqualTo(5);

    try (LogServer server = server()) {
      String address = server.uri().toString();
      assertThat(CommandRun.of("import", whole.toString(), "--server", address).exitCode())
          .isZero();
      Path ofServer = folder.resolve("server-part.ndjson");
      assertThat(
              CommandRun.of(
                      "export",
                      "--server",
                      address,
                      "--from",
                      from,
                      "--with-state",
                      "--to",
                      ofServer.toString())
                  .exitCode())
          .isZero();
      assertThat(events(ofServer)).isEqualTo(events(part));
      assertThat(check(ONE_HOLDER, ofServer).exitCode()).isEqualTo(1);
    }
  }

  private static List<String> events(Path file) throws IOException {
    try (var lines = Files.lines(file)) {
      return lines.filter(line -> line.contains("\"set\"")).toList();
    }
  }

  @Test
  void export_withStateAndASilentNode_keepsItSilent() throws IOException {
    Path whole =
        write(
            "silent.ndjson",
            """
            {"hlc":"1795200000000000.0","node":"b","log":"lease","seq":1,"set":{"holds":true}}
            {"hlc":"1795200000100000.0","node":"b","heartbeat":true,"promise":300000}
            {"hlc":"1795200001000000.0","node":"a","log":"lease","seq":4,"set":{"holds":false}}
            {"hlc":"1795200005000000.0","node":"a","log":"lease","seq":5,"set":{"holds":false}}
            """);
    CommandRun run =
        check(ONE_HOLDER, export(whole, "--from", "1795200004000000.0", "--with-state"));
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains("node b is silent since 2026-11-20T18:40:00.100000Z");
  }

  @Test
  void export_withStateAndALossBefore_keepsTheLoss() throws IOException {
    String started =
        "{\"hlc\":\"1795199999000000.0\",\"node\":\"a\",\"start\":{\"incarnation\":\"r\"}}\n";
    Path whole =
        write(
            "lost.ndjson",
            started
                + """
                {"hlc":"1795200000000000.0","node":"a","log":"lease","seq":1,"set":{"holds":false}}
                {"hlc":"1795200001000000.0","node":"a","log":"lease","seq":3,"set":{"holds":false}}
                {"hlc":"1795200005000000.0","node":"a","log":"lease","seq":4,"set":{"holds":false}}
                """);
    CommandRun run =
        check(ONE_HOLDER, export(whole, "--from", "1795200004000000.0", "--with-state"));
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out())
        .contains("events of node a are lost between 2026-11-20T18:40:00.000000Z and");
  }

  @Test
  void export_withStateWithoutFrom_isRefused() throws IOException {
    Path whole = write("lease.ndjson", LEASE);
    assertThat(CommandRun.of("export", whole.toString(), "--with-state").exitCode()).isEqualTo(2);
    assertThat(
            CommandRun.of(
                    "export", whole.toString(), "--with-state", "--from", "1.0", "--format", "csv")
                .err())
        .contains("--with-state is for --format ndjson with --from TIME");
  }

  @Test
  void check_filesOfSeparateTests_isInconclusive_andNamesTheRuns() throws IOException {
    Path one = write("one.ndjson", recording("first", 0, false));
    Path two = write("two.ndjson", recording("second", 2, false));
    assertThat(check(ONE_HOLDER, one).exitCode()).isZero();
    assertThat(check(ONE_HOLDER, two).exitCode()).isZero();
    CommandRun both = check(ONE_HOLDER, one, two.toString());
    assertThat(both.exitCode()).isEqualTo(5);
    assertThat(both.out())
        .contains(
            "node a: two of its runs overlap from hlc'1795200002000014.0' to"
                + " hlc'1795200005000000.0': two processes may use one name");
    Path merged = folder.resolve("merged.ndjson");
    CommandRun imported =
        CommandRun.of("import", one.toString(), two.toString(), "--to", merged.toString());
    assertThat(imported.err()).contains("node a: two of its runs overlap");
    assertThat(check(ONE_HOLDER, merged).exitCode()).isEqualTo(5);
    try (LogServer server = server()) {
      String address = server.uri().toString();
      CommandRun.of("import", one.toString(), two.toString(), "--server", address);
      String rules = write("rules.rql", ONE_HOLDER).toString();
      CommandRun ofServer = CommandRun.of("check", rules, "--server", address);
      assertThat(ofServer.exitCode()).isEqualTo(5);
      assertThat(ofServer.out()).contains("node a: two of its runs overlap");
    }
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data2")).port(0).build())) {
      String address = server.uri().toString();
      CommandRun.of("import", one.toString(), "--server", address);
      CommandRun.of("import", one.toString(), "--server", address);
      String rules = write("rules.rql", ONE_HOLDER).toString();
      assertThat(CommandRun.of("check", rules, "--server", address).exitCode()).isZero();
      CommandRun.of("import", two.toString(), "--server", address);
      CommandRun ofServer = CommandRun.of("check", rules, "--server", address);
      assertThat(ofServer.exitCode()).as("one import after the other").isEqualTo(5);
      assertThat(ofServer.out()).contains("node a: two of its runs overlap");
    }
    // The same recording twice, and tests that ran one after the other.
    Path copy = write("copy.ndjson", recording("first", 0, false));
    assertThat(check(ONE_HOLDER, one, copy.toString()).exitCode()).isZero();
    Path later = write("later.ndjson", recording("third", 60, false));
    assertThat(check(ONE_HOLDER, one, later.toString()).exitCode()).isZero();
  }

  @Test
  void check_oneFileOfSeparateTests_isInconclusive() throws IOException {
    String both = recording("first", 0, true) + recording("second", 2, true);
    CommandRun run = check(ONE_HOLDER, write("both.ndjson", both));
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains("node a: two of its runs overlap from hlc'1795200002000014.0'");
    String restarts = recording("first", 0, false) + recording("second", 20, true);
    assertThat(check(ONE_HOLDER, write("restart.ndjson", restarts)).exitCode()).isZero();
  }

  @Test
  void check_aNodeThatWasKilledAndStartedAgain_holdsWithAWarning() throws IOException {
    String beat = "{\"hlc\":\"%s.0\",\"node\":\"a\",\"heartbeat\":true,\"promise\":1000000}\n";
    Path file =
        write(
            "killed.ndjson",
            recording("first", 0, false)
                + beat.formatted("1795200005000000")
                + recording("second", 60, true));
    String sentence = "a run of node a ended without a stop after 2026-11-20T18:40:05.000000Z";
    CommandRun run = check(ONE_HOLDER, file);
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("warning: " + sentence);
    try (LogServer server = server()) {
      String address = server.uri().toString();
      CommandRun.of("import", file.toString(), "--server", address);
      String rules = write("rules.rql", ONE_HOLDER).toString();
      CommandRun ofServer = CommandRun.of("check", rules, "--server", address);
      assertThat(ofServer.exitCode()).isZero();
      assertThat(ofServer.out()).contains("warning: " + sentence);
    }
  }

  @Test
  void check_oneFileAfterAnother_isInconclusive() throws IOException {
    String both = recording("first", 0, false) + recording("second", 2, false);
    CommandRun run = check(ONE_HOLDER, write("both.ndjson", both));
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains("node a: two of its runs overlap from hlc'1795200002000014.0'");
  }

  /** The batches of an import do not show together which run continues. */
  @Test
  void check_aServerThatImportedTheLaterTestFirst_isInconclusive() throws IOException {
    String long1 = recording("first", 0, false);
    String text = "x".repeat(1_000_000);
    int second = long1.indexOf("1795200003");
    int at = long1.lastIndexOf('\n', second) + 1;
    StringBuilder one = new StringBuilder(long1.substring(0, at));
    for (int i = 0; i < 5; i++) {
      one.append("{\"hlc\":\"179520000250000%d.0\",\"node\":\"z\",".formatted(i))
          .append("\"log\":\"app\",\"message\":\"" + text + "\"}\n");
    }
    Path first = write("one.ndjson", one.append(long1.substring(at)).toString());
    Path later = write("two.ndjson", recording("second", 2, false));
    String rules = write("rules.rql", ONE_HOLDER).toString();
    try (LogServer server = server()) {
      String address = server.uri().toString();
      CommandRun.of("import", later.toString(), "--server", address);
      assertThat(CommandRun.of("check", rules, "--server", address).exitCode()).isZero();
      CommandRun imported = CommandRun.of("import", first.toString(), "--server", address);
      assertThat(imported.err()).as("a repeated start is no duplicate").isEmpty();
      CommandRun run = CommandRun.of("check", rules, "--server", address);
      assertThat(run.exitCode()).isEqualTo(5);
      assertThat(run.out())
          .contains("overlap from hlc'1795200002000014.0' to hlc'1795200005000000.0'");
      Path copy = folder.resolve("copy.ndjson");
      CommandRun.of("export", "--server", address, "--to", copy.toString());
      assertThat(check(ONE_HOLDER, copy).exitCode()).as("an export").isEqualTo(5);
    }
  }

  /** A run of a node for five seconds. */
  private static String recording(String run, int second, boolean stops) {
    StringBuilder lines = new StringBuilder();
    String head = "{\"hlc\":\"%d.0\",\"node\":\"a\",";
    long from = 1_795_200_000_000_000L + second * 1_000_007L;
    lines.append(head.formatted(from)).append("\"start\":{\"incarnation\":\"" + run + "\"}}\n");
    for (int i = 1; i <= 5; i++) {
      lines
          .append(head.formatted(from + i * 1_000_000L))
          .append("\"log\":\"lease\",\"set\":{\"holds\":false}}\n");
    }
    return stops
        ? lines + head.formatted(from + 5_100_000L) + "\"stop\":true}\n"
        : lines.toString();
  }

  @Test
  void check_aPartThatWasExportedAgain_isInconclusive() throws IOException {
    Path whole = write("lease.ndjson", LEASE);
    Path later = export(whole, "--from", "1795200004000000.0");
    Path again = folder.resolve("again.ndjson");
    assertThat(CommandRun.of("import", later.toString(), "--to", again.toString()).exitCode())
        .isZero();
    assertThat(check(ONE_HOLDER, again).exitCode()).isEqualTo(5);
    assertThat(check(ONE_HOLDER, export(again)).exitCode()).isEqualTo(5);
  }

  @Test
  void check_aServerThatImportedAPart_isInconclusive() throws IOException {
    Path later = export(write("lease.ndjson", LEASE), "--from", "1795200004000000.0");
    try (LogServer server = server()) {
      String address = server.uri().toString();
      assertThat(CommandRun.of("import", later.toString(), "--server", address).exitCode())
          .isZero();
      Path rules = write("rules.rql", ONE_HOLDER);
      assertThat(CommandRun.of("check", rules.toString(), "--server", address).exitCode())
          .isEqualTo(5);
    }
  }

  @Test
  void check_aServersExportOfAPart_isInconclusive() throws IOException {
    Path whole = write("lease.ndjson", LEASE);
    try (LogServer server = server()) {
      String address = server.uri().toString();
      assertThat(CommandRun.of("import", whole.toString(), "--server", address).exitCode())
          .isZero();
      Path part = folder.resolve("part.ndjson");
      CommandRun run =
          CommandRun.of(
              "export",
              "--server",
              address,
              "--from",
              "1795200004000000.0",
              "--to",
              part.toString());
      assertThat(run.exitCode()).isZero();
      assertThat(check(ONE_HOLDER, part).exitCode()).isEqualTo(5);
    }
  }

  @Test
  void check_aCompressedFileThatIsCutOff_isInconclusive() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      lines.append(
          "{\"hlc\":\"%d.0\",\"node\":\"a\",\"log\":\"lease\",\"set\":{\"holds\":true}}\n"
              .formatted(1_795_200_000_000_000L + i));
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new ZstdOutputStream(packed)) {
      out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
    byte[] whole = packed.toByteArray();
    Path cut =
        Files.write(folder.resolve("cut.ndjson.zst"), Arrays.copyOf(whole, whole.length - 9));

    CommandRun run = check(ONE_HOLDER, cut);
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains("cut.ndjson.zst: its compressed data is cut off after");
    assertThat(answer(file(cut), "SHOW LOGS;").toString()).contains("lease");
  }

  @Test
  void check_aNodeOfAFileThatPromisedMore_isInconclusive_unlessAssumedComplete()
      throws IOException {
    Path file =
        write(
            "silent.ndjson",
            """
            {"hlc":"1795200000000000.0","node":"a","log":"lease","set":{"holds":true}}
            {"hlc":"1795200000000000.0","node":"b","log":"lease","set":{"holds":false}}
            {"hlc":"1795200000100000.0","node":"b","heartbeat":true,"promise":300000}
            {"hlc":"1795200005000000.0","node":"a","log":"lease","set":{"holds":true}}
            """);
    CommandRun run = check(ONE_HOLDER, file);
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out())
        .contains("node b is silent since 2026-11-20T18:40:00.100000Z without having stopped");
    CommandRun assumed = check(ONE_HOLDER, file, "--assume-complete");
    assertThat(assumed.exitCode()).isZero();
    assertThat(assumed.out())
        .contains("assumed to be complete: node b is silent since", "assumed complete:");
    CommandRun json = check(ONE_HOLDER, file, "--assume-complete", "--format", "json");
    assertThat(json.out()).contains("(--assume-complete)");
    Path stopped =
        write(
            "stopped.ndjson",
            Files.readString(file)
                + "{\"hlc\":\"1795200000200000.0\",\"node\":\"b\",\"stop\":true}\n");
    assertThat(check(ONE_HOLDER, stopped).exitCode()).isZero();
  }

  @Test
  void check_whatWasFoundAfterALoss_isBrokenAndProvisional() throws IOException {
    Path file =
        write(
            "lost.ndjson",
            LEASE
                + "{\"hlc\":\"1795200003000000.0\",\"node\":\"a\","
                + "\"lost\":{\"from\":\"1795200002000000.0\",\"events\":2}}\n");
    CommandRun run = check(ONE_HOLDER, file);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("provisional: events of node a are lost between");
    assertThat(check(ONE_HOLDER, file, "--format", "json").out())
        .contains("\"provisional\":true", "\"verdict\":\"broken\"");
    assertThat(check(ONE_HOLDER, file, "--format", "junit").out())
        .contains("<failure", "provisional: events of node a");
    String early = "CREATE RULE early AS (NEVER holds@a FROM lease);\n";
    assertThat(check(early, file).out()).contains("broken").doesNotContain("provisional");
  }

  /** A claim with its verdict, or a query without rows, and the number of warnings. */
  private record AfterEnd(String verdict, int warnings, String claim) {
    String statement() {
      String range = " ON TIME hlc'1700000001000000.0' TO hlc'1700000060000000.0';";
      return claim + (claim.startsWith("SELECT") ? "" : " FROM t") + range;
    }
  }

  @Test
  void verdicts_afterTheLastEvent_areTheSameOverAFileAndAServer() throws IOException {
    Path file =
        write(
            "log.ndjson",
            """
            {"node":"n1","log":"t","hlc":"1700000001000000.0","set":{"x":1}}
            {"node":"n2","log":"t","hlc":"1700000002000000.0","set":{"x":2}}
            {"node":"n1","log":"t","hlc":"1700000005000000.0","set":{"x":5}}
            {"node":"n2","log":"t","hlc":"1700000006000000.0","set":{"x":7}}
            """);
    try (LogServer server = server()) {
      String address = server.uri().toString();
      assertThat(CommandRun.of("import", file.toString(), "--server", address).exitCode()).isZero();
      assertSameAfterTheEnd(file, server);
      // The events of other nodes, and of other recordings, continue.
      Path other =
          write(
              "other.ndjson",
              """
              {"node":"z","log":"m","hlc":"1700000000000000.0","set":{"y":1}}
              {"node":"z","log":"m","hlc":"1700000090000000.0","set":{"y":1}}
              """);
      CommandRun.of("import", other.toString(), "--server", address);
      post(
          server,
          "{\"node\":\"w\",\"log\":\"m\",\"hlc\":\"1700000095000000.0\",\"set\":{\"y\":1}}");
      assertSameAfterTheEnd(file, server);
      // A copy of that server, in which the file is a part of a longer recording.
      Path copy = folder.resolve("copy.ndjson");
      CommandRun.of("export", "--server", address, "--to", copy.toString());
      for (AfterEnd asked : AFTER_END) {
        assertThat(answer(file(copy), asked.statement()))
            .as("copy: %s", asked)
            .isEqualTo(answer(file(file), asked.statement()));
      }
      // A node that continues has no gap after it.
      post(
          server,
          "{\"node\":\"n1\",\"log\":\"t\",\"hlc\":\"1700000070000000.0\",\"set\":{\"x\":1}}");
      assertThat(answer(new RqlClient(server.uri()), AFTER_END.get(0).statement()).get(0))
          .contains("value=broken");
    }
  }

  private static final List<AfterEnd> AFTER_END =
      List.of(
          new AfterEnd("inconclusive", 1, "EVENTUALLY MAX(x) > 7"),
          new AfterEnd("holds", 1, "EVENTUALLY MAX(x) > 6"),
          new AfterEnd("inconclusive", 1, "NEVER MAX(x) >= 7 FOR 10s"),
          new AfterEnd("broken", 1, "NEVER MAX(x) >= 5 FOR 500ms"),
          new AfterEnd("inconclusive", 2, "ALWAYS MAX(x) >= 7 THEN MAX(x) >= 9 WITHIN 10s"),
          new AfterEnd("broken", 1, "ALWAYS MAX(x) >= 5 THEN MAX(x) >= 9 WITHIN 500ms"),
          new AfterEnd("inconclusive", 1, "NEVER x@n1 > 5"),
          new AfterEnd("", 1, "SELECT x FROM t WHEN MAX(x) >= 7 FOR 10s"),
          new AfterEnd("", 1, "SELECT x FROM t WHEN Age(x)@n1 > 20s"));

  private static void assertSameAfterTheEnd(Path file, LogServer server) throws IOException {
    for (AfterEnd asked : AFTER_END) {
      String statement = asked.statement();
      assertThat(answer(new RqlClient(server.uri()), statement))
          .as(statement)
          .isEqualTo(answer(file(file), statement))
          .hasSize(asked.warnings + (asked.verdict.isEmpty() ? 0 : 1))
          .satisfies(
              lines ->
                  assertThat(lines.get(0))
                      .contains(asked.verdict.isEmpty() ? "" : "value=" + asked.verdict))
          .last()
          .asString()
          .startsWith("complete only up to 2023-11-14T22:13:26.000000Z");
    }
  }

  private static void post(LogServer server, String line) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri().resolve("/v1/events"))
            .header("Content-Type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(line))
            .build();
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void import_whenItEnds_queriesHaveAllItsEvents() throws IOException {
    Path file = write("lease.ndjson", LEASE);
    try (LogServer server = server()) {
      String address = server.uri().toString();
      assertThat(CommandRun.of("import", file.toString(), "--server", address).exitCode()).isZero();
      String query =
          "SELECT holds FROM lease ON TIME hlc'1795200000000000.0' TO hlc'1795200007000000.0';";
      assertThat(answer(new RqlClient(server.uri()), query))
          .isEqualTo(answer(file(file), query))
          .hasSize(4);
    }
  }

  @Test
  void select_beforeAllEvents_warns() throws IOException {
    Path file = write("lease.ndjson", LEASE);
    String query =
        "SELECT holds FROM lease ON TIME '2026-10-20T18:40:00Z' TO '2026-10-20T18:41:00Z';";
    assertThat(answer(file(file), query))
        .containsExactly(
            "the range begins at 2026-10-20T18:40:00.000000Z, and the events at"
                + " 2026-11-20T18:40:00.000000Z");
    String half = query.replaceFirst("TO '2026-10-20", "TO '2026-11-20");
    assertThat(answer(file(file), half).toString()).doesNotContain("the range begins");
  }

  @Test
  void select_beforeAllEventsOfAServerOrAtOneTime_warns() throws IOException {
    Path file = write("lease.ndjson", LEASE);
    String expected =
        "the range begins at 2026-11-20T18:39:00.000000Z, and the events at"
            + " 2026-11-20T18:40:00.000000Z";
    String minute =
        "SELECT holds FROM lease ON TIME '2026-11-20T18:39:00Z' TO '2026-11-20T18:39:30Z';";
    try (LogServer server = server()) {
      CommandRun.of("import", file.toString(), "--server", server.uri().toString());
      assertThat(answer(new RqlClient(server.uri()), minute)).containsExactly(expected);
    }
    String moment = "SELECT holds FROM lease ON TIME hlc'1795199940000000.0';";
    assertThat(answer(file(file), moment)).last().isEqualTo(expected);
  }

  private static Session file(Path file) throws IOException {
    return EventFileSet.of(file, events -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT);
  }

  /**
   * The rows and then the warnings of an answer, without the age of the last complete stamp, which
   * only a server has.
   */
  private static List<String> answer(Session session, String statement) throws IOException {
    List<String> rows = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    try (session) {
      session.run(
          statement,
          new RowSink() {
            @Override
            public void columns(List<Column> columns) {}

            @Override
            public boolean row(Row row) {
              rows.add(row.values().toString().replaceAll(AGE, ""));
              return true;
            }

            @Override
            public void warning(String message) {
              warnings.add(message.replaceAll(AGE, ""));
            }
          });
    }
    warnings.sort(Comparator.comparing(text -> text.startsWith("complete")));
    rows.addAll(warnings);
    return rows;
  }

  private Path export(Path file, String... options) {
    Path part = folder.resolve("part-" + String.join("", options).replace("-", "") + ".ndjson");
    String[] command = new String[options.length + 4];
    command[0] = "export";
    command[1] = file.toString();
    command[2] = "--to";
    command[3] = part.toString();
    System.arraycopy(options, 0, command, 4, options.length);
    assertThat(CommandRun.of(command).exitCode()).isZero();
    return part;
  }

  private CommandRun check(String rules, Path file, String... options) throws IOException {
    String[] command = new String[options.length + 3];
    command[0] = "check";
    command[1] = write("rules.rql", rules).toString();
    command[2] = file.toString();
    System.arraycopy(options, 0, command, 3, options.length);
    return CommandRun.of(command);
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private LogServer server() {
    return LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build());
  }
}
