// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.cli.shell.ShellOutput;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Walks the tables of {@code reference.md}: each kind of incompleteness by each command and format
 * that shows an answer, over files where the kind belongs to files, and over servers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompletenessConsumersTest {
  private static final Pattern SPACE = Pattern.compile(" ");

  private static final long START_MICROS = 1_795_200_000_000_000L;

  @TempDir static Path folder;

  private final Map<String, List<String>> table = new LinkedHashMap<>();
  private final List<LogServer> servers = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * Events of which something is missing, in the log of the kind's name.
   *
   * @param lines besides those of two nodes, which write x once a second from 1 to 10; KIND in them
   *     is the log
   * @param sentence a part of a sentence about it
   * @param range of the question in seconds; empty for all
   */
  private record Case(String kind, String lines, String sentence, String range) {
    String onTime() {
      if (range.isEmpty()) {
        return "";
      }
      List<String> ends = SPACE.splitAsStream(range).toList();
      return " ON TIME hlc'%s' TO hlc'%s'".formatted(stamp(ends.get(0)), stamp(ends.get(1)));
    }

    List<String> options() {
      if (range.isEmpty()) {
        return List.of();
      }
      List<String> ends = SPACE.splitAsStream(range).toList();
      return List.of("--from", stamp(ends.get(0)), "--until", stamp(ends.get(1)));
    }

    String select() {
      return "SELECT x FROM `" + kind + "`" + onTime() + ";";
    }

    String claim() {
      return "NEVER MAX(x) > 5 FROM `" + kind + "`";
    }

    String events() {
      StringBuilder all = new StringBuilder();
      for (int second = 1; second <= 10; second++) {
        all.append(write(kind + "_a", second)).append(write(kind + "_b", second));
      }
      return all + lines.replace("KIND", kind);
    }

    String write(String node, int second) {
      return write(node, second, "");
    }

    String write(String node, int second, String run) {
      return "{\"node\":\"%s\",%s\"log\":\"%s\",\"hlc\":\"%s\",\"set\":{\"x\":%d}}\n"
          .formatted(node, run, kind, stamp("" + second), second % 3);
    }
  }

  private static String stamp(String seconds) {
    long micros = START_MICROS + Math.round(1e6 * Double.parseDouble(seconds));
    return micros + ".0";
  }

  private static final List<Case> OF_FILES =
      List.of(
          new Case(
              "lost",
              """
              {"node":"KIND_b","hlc":"1795200003000000.0","lost":{"from":"1795200002000000.0","events":3}}
              """,
              "of node lost_b ",
              ""),
          new Case(
              "silent",
              """
              {"node":"KIND_c","log":"KIND","hlc":"1795200001000000.0","set":{"x":0}}
              {"node":"KIND_c","hlc":"1795200001100000.0","heartbeat":true,"promise":300000}
              """,
              "silent_c ",
              "1 9"),
          new Case("cut-off", incomplete("cut-off", "", "old.gz: is cut off"), "is cut off", ""),
          new Case("reported", "{\"warning\":\"block 9 is lost\"}\n", "block 9 is lost", ""),
          new Case("remarked", incomplete("remarked", "", "UTC is assumed"), "UTC is assumed", ""),
          new Case(
              "part",
              incomplete("part", "\"start\":false,\"from\":\"1795200001000000.0\"", ""),
              "the events are a part of a recording",
              ""),
          new Case(
              "overlapping",
              run("r", 4) + run("q", 5) + run("r", 6) + run("q", 7),
              "node overlapping_c: two of its runs overlap",
              ""),
          new Case("before", "", "the range begins at", "-20 9"),
          new Case("after", "", "complete only up to", "1 60"),
          new Case(
              "derived",
              incomplete("derived", "\"nodes\":[\"KIND_a\",\"KIND_b\"],\"count\":3", ""),
              "derived stamps: order between nodes",
              ""),
          new Case(
              "ahead",
              incomplete(
                  "ahead",
                  "\"nodes\":[\"KIND_a\"],\"count\":2000000,\"from\":\"1795200002000000.0\","
                      + "\"until\":\"1795200003000000.0\"",
                  ""),
              "ahead of every clock",
              ""),
          new Case(
              "contradicting",
              incomplete(
                  "contradicting",
                  "\"sender\":\"KIND_a\",\"receiver\":\"KIND_b\",\"count\":2,"
                      + "\"from\":\"1795200002000000.0\",\"until\":\"1795200003000000.0\"",
                  ""),
              "stamped as received before being sent",
              ""));

  private static final List<Case> OF_SERVERS =
      List.of(
          new Case(
              "unsent",
              """
              {"node":"KIND_c","incarnation":"r","hlc":"1795200001000000.0","start":{"incarnation":"r"}}
              {"node":"KIND_c","incarnation":"r","log":"KIND","hlc":"1795200002000000.0","set":{"x":0}}
              {"node":"KIND_c","incarnation":"r","hlc":"1795200002100000.0","heartbeat":true,"promise":300000}
              {"node":"KIND_c","incarnation":"q","hlc":"1795200006000000.0","start":{"incarnation":"q","predecessor":"r"}}
              {"node":"KIND_c","incarnation":"q","log":"KIND","hlc":"1795200007000000.0","set":{"x":0}}
              {"node":"KIND_c","incarnation":"q","hlc":"1795200008000000.0","stop":true}
              """,
              "a run of node unsent_c ended without a stop",
              "1 9"),
          new Case("quarantined", "", "of quarantined_c is in quarantine", "1 9"),
          new Case(
              "forgotten",
              """
              {"node":"KIND_c","log":"KIND","hlc":"1795200001000000.0","set":{"x":0}}
              {"node":"KIND_c","hlc":"1795200001100000.0","heartbeat":true,"promise":300000}
              """,
              "node forgotten_c was forgotten",
              ""));

  private static String incomplete(String kind, String fields, String sentence) {
    return "{\"incomplete\":{\"kind\":\"%s\",\"sentence\":\"%s\"%s}}\n"
        .formatted(kind, sentence, fields.isEmpty() ? "" : "," + fields);
  }

  private static String run(String name, int second) {
    return new Case("overlapping", "", "", "")
        .write("overlapping_c", second, "\"incarnation\":\"" + name + "\",");
  }

  @BeforeAll
  void readTable() throws IOException {
    String page = Files.readString(Path.of("../docs/rql/reference.md"));
    String section = page.substring(page.indexOf("## Completeness"), page.indexOf("## Names"));
    for (String line : section.lines().filter(text -> text.startsWith("| `")).toList()) {
      List<String> cells = Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList();
      if (cells.size() == 6) {
        table.put(cells.get(0).replace("`", ""), cells);
      }
    }
  }

  @AfterAll
  void closeServers() {
    servers.forEach(LogServer::close);
  }

  @TestFactory
  Stream<DynamicTest> commands_overFiles_sayWhatTheTablesSay() {
    return OF_FILES.stream()
        .map(
            asked ->
                DynamicTest.dynamicTest(
                    asked.kind,
                    () -> {
                      Path file =
                          Files.writeString(folder.resolve(asked.kind + ".ndjson"), asked.events());
                      softly(soft -> checkCommands(soft, asked, List.of(file.toString())));
                    }));
  }

  @TestFactory
  Stream<DynamicTest> commands_overAServer_sayWhatTheTablesSay() throws Exception {
    LogServer server = start("all");
    List<Case> all = new ArrayList<>(OF_FILES);
    all.addAll(OF_SERVERS);
    for (Case asked : all) {
      importEvents(server, asked.kind, asked.events());
    }
    Case quarantined = OF_SERVERS.get(1);
    importEvents(server, "quarantined", quarantined.write("quarantined_c", 1));
    long late = System.currentTimeMillis() * 1_000 + 3_600_000_000L;
    post(
        server,
        "application/x-ndjson",
        "{\"node\":\"quarantined_c\",\"log\":\"quarantined\",\"hlc\":\"%d.0\",\"set\":{\"x\":1}}"
            .formatted(late)
            .getBytes(StandardCharsets.UTF_8));
    // Only a node that has been silent for some time can be forgotten.
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                query(server, "FORGET NODE forgotten_c;", "application/json").statusCode() == 200);
    String heard = heard(server, all);
    return all.stream()
        .map(
            asked ->
                DynamicTest.dynamicTest(
                    asked.kind, () -> softly(soft -> checkServer(soft, server, asked, heard))));
  }

  @TestFactory
  Stream<DynamicTest> commands_overAServerThatHasLostSomething_sayWhatTheTablesSay()
      throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    Map<String, Map.Entry<String, String>> files =
        Map.of(
            "damaged", Map.entry("LOSSES", "events stored before noon are lost"),
            "removed", Map.entry("HISTORY", "begins after block 0, stamp 1795100000000000.0"));
    for (String kind : files.keySet()) {
      Case asked =
          new Case(kind, "", kind.equals("damaged") ? "stored before noon" : "history begins", "");
      start(kind).close();
      servers.remove(servers.size() - 1);
      Map.Entry<String, String> loss = files.get(kind);
      Files.writeString(folder.resolve(kind).resolve(loss.getKey()), loss.getValue() + "\n");
      LogServer server = start(kind);
      importEvents(server, kind, asked.events());
      String heard = heard(server, List.of(asked));
      tests.add(
          DynamicTest.dynamicTest(
              kind, () -> softly(soft -> checkServer(soft, server, asked, heard))));
    }
    Case missing = new Case("missing", "", "block of node missing_c after", "");
    LogServer server = start("missing");
    String old = missing.events();
    importEvents(server, "missing", old);
    post(server, EventBlockCodec.CONTENT_TYPE, block(1, 2));
    post(server, EventBlockCodec.CONTENT_TYPE, block(3, 4));
    tests.add(
        DynamicTest.dynamicTest(
            "missing", () -> softly(soft -> checkCommands(soft, missing, serverOf(server)))));
    return tests.stream();
  }

  /** Assertions of which all are evaluated, so that a failure names every consumer. */
  private interface Checks {
    void with(SoftAssertions soft) throws Exception;
  }

  private static void softly(Checks checks) throws Exception {
    SoftAssertions soft = new SoftAssertions();
    checks.with(soft);
    soft.assertAll();
  }

  private static byte[] block(long number, int second) {
    EventBody.Change change =
        new EventBody.Change(EventBody.Operation.SET, "x", Value.of(second % 3));
    long hlc = HlcTimestamp.pack(START_MICROS + second * 1_000_000L + 1);
    Event event =
        new Event("missing_c", "missing", hlc, new EventBody.StateChange(List.of(change)));
    return EventBlockCodec.encode(
        new EventBlockBuilder().incarnation("r", number).add(event).promise(hlc, 0).build());
  }

  private void checkServer(SoftAssertions soft, LogServer server, Case asked, String heard)
      throws Exception {
    if (OF_FILES.contains(asked)) { // The other commands have these warnings from a file.
      ShellOutput verdict =
          ShellOutput.of(
              server.uri().toString(), OutputFormat.JSONL, asked.claim() + asked.onTime() + ";");
      assertVerdict(soft, table.get(asked.kind).get(4), verdict, asked);
    } else {
      checkCommands(soft, asked, serverOf(server));
    }
    boolean warns = table.get(asked.kind).get(2).startsWith("warning");
    boolean isShown = warns && !asked.kind.equals("before");
    soft.assertThat(
            query(server, asked.select(), "application/json").body().contains(asked.sentence))
        .as("HTTP, JSON")
        .isEqualTo(isShown);
    String csv = csvWithTrailers(server, asked.select());
    soft.assertThat(csv).contains("X-Retroscope-Warnings");
    soft.assertThat(csv.contains(asked.sentence)).as("HTTP, CSV: %s", csv).isEqualTo(isShown);
    if (isHeard(asked)) {
      soft.assertThat(heard).as("listen").contains(asked.sentence);
    }
  }

  /** An answer as it is on the wire: the trailers follow the body. */
  private static String csvWithTrailers(LogServer server, String statement) throws IOException {
    URI uri = server.uri();
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      String head =
          """
          POST /v1/query HTTP/1.1\r
          Host: %s:%d\r
          Accept: text/csv\r
          TE: trailers\r
          Content-Type: application/rql\r
          Content-Length: %d\r
          Connection: close\r
          \r
          %s""";
      socket
          .getOutputStream()
          .write(
              head.formatted(uri.getHost(), uri.getPort(), statement.length(), statement)
                  .getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The warnings of the tables in the formats of commands. */
  private void checkCommands(SoftAssertions soft, Case asked, List<String> ofRules)
      throws IOException {
    List<String> cells = table.get(asked.kind);
    boolean isShown = cells.get(2).startsWith("warning") && !asked.kind.equals("before");
    String target = ofRules.get(ofRules.size() - 1);
    ShellOutput text = ShellOutput.of(target, OutputFormat.ALIGNED, asked.select());
    soft.assertThat(text.err().contains(asked.sentence)).as("SELECT: %s", text).isEqualTo(isShown);
    ShellOutput csv = ShellOutput.of(target, OutputFormat.CSV, asked.select());
    soft.assertThat(csv.err().contains(asked.sentence)).as("CSV: %s", csv).isEqualTo(isShown);
    ShellOutput json = ShellOutput.of(target, OutputFormat.JSON, asked.select());
    soft.assertThat(json.out().contains(asked.sentence)).as("JSON: %s", json).isEqualTo(isShown);
    String verdict = cells.get(4);
    String claim = asked.claim() + asked.onTime() + ";";
    assertVerdict(soft, verdict, ShellOutput.of(target, OutputFormat.JSONL, claim), asked);
    assertCheck(soft, verdict, asked, ofRules);
    CommandRun backtest = rules("backtest", asked, ofRules);
    soft.assertThat(backtest.err().contains(asked.sentence))
        .as("backtest: %s", backtest)
        .isEqualTo(isShown);
  }

  private static void assertVerdict(
      SoftAssertions soft, String verdict, ShellOutput run, Case asked) {
    boolean isOpen = verdict.equals("inconclusive");
    soft.assertThat(run.out())
        .as("verdict")
        .contains("\"verdict\":\"" + (isOpen ? "inconclusive" : "holds") + "\"", asked.sentence);
    soft.assertThat(run.out().contains("\"borderline\":true"))
        .isEqualTo(verdict.equals("borderline"));
  }

  private void assertCheck(SoftAssertions soft, String verdict, Case asked, List<String> target)
      throws IOException {
    boolean isOpen = verdict.equals("inconclusive");
    boolean isBorderline = verdict.equals("borderline");
    CommandRun text = rules("check", asked, target);
    soft.assertThat(text.exitCode()).as("check: %s", text).isEqualTo(isOpen ? 5 : 0);
    soft.assertThat(text.out()).as("check").contains(isOpen ? asked.sentence : "warning: ");
    soft.assertThat(text.out()).as("check").contains(asked.sentence);
    soft.assertThat(text.out().contains("borderline: ")).as("check").isEqualTo(isBorderline);
    CommandRun json = rules("check", asked, target, "--format", "json");
    soft.assertThat(json.out())
        .as("check, JSON")
        .contains("\"verdict\":\"" + (isOpen ? "inconclusive" : "holds") + "\"", asked.sentence);
    soft.assertThat(json.out().contains("\"borderline\":true"))
        .as("check, JSON")
        .isEqualTo(isBorderline);
    CommandRun junit = rules("check", asked, target, "--format", "junit");
    soft.assertThat(junit.out().contains("<skipped")).as("check, JUnit").isEqualTo(isOpen);
    soft.assertThat(junit.out()).as("check, JUnit").contains(asked.sentence);
    soft.assertThat(junit.out().contains("borderline: "))
        .as("check, JUnit")
        .isEqualTo(isBorderline);
  }

  private CommandRun rules(String command, Case asked, List<String> target, String... more)
      throws IOException {
    Path file = folder.resolve(asked.kind + ".rql");
    Files.writeString(file, "CREATE RULE r AS (" + asked.claim() + ");\n");
    List<String> all = new ArrayList<>(List.of(command, file.toString()));
    all.addAll(target);
    all.addAll(asked.options());
    all.addAll(List.of(more));
    return CommandRun.of(all.toArray(String[]::new));
  }

  /** What a listener says within a moment: a longer one if the machine is busy. */
  private String heard(LogServer server, List<Case> all) {
    String heard = listen(server, all, 2);
    for (int seconds = 8; seconds <= 32 && !hasSaidAll(heard, all); seconds *= 2) {
      heard = listen(server, all, seconds);
    }
    return heard;
  }

  private boolean hasSaidAll(String heard, List<Case> all) {
    return all.stream().filter(this::isHeard).allMatch(asked -> heard.contains(asked.sentence));
  }

  private boolean isHeard(Case asked) {
    return table.get(asked.kind).get(3).startsWith("warning");
  }

  /** What a listener to all live queries prints. */
  private static String listen(LogServer server, List<Case> all, int seconds) {
    StringBuilder queries = new StringBuilder();
    for (Case asked : all) {
      queries
          .append("SELECT STREAM x FROM `" + asked.kind + "` ON TIME hlc'" + stamp("0.5") + "'")
          .append(" PLAY woodblock;");
    }
    CommandRun run =
        CommandRun.of(
            "listen",
            "--mute",
            "--server",
            server.uri().toString(),
            "--for",
            seconds + "s",
            queries.toString());
    return run.err() + run.out();
  }

  private static List<String> serverOf(LogServer server) {
    return List.of("--server", server.uri().toString());
  }

  private LogServer start(String name) {
    LogServer server =
        LogServer.start(
            ServerConfig.in(folder.resolve(name)).port(0).releaseQuarantined(false).build());
    servers.add(server);
    return server;
  }

  private static void importEvents(LogServer server, String name, String lines) throws IOException {
    Path file = Files.writeString(folder.resolve(name + "-import.ndjson"), lines);
    CommandRun run =
        CommandRun.of("import", file.toString(), "--no-wait", "--server", server.uri().toString());
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  private HttpResponse<String> post(LogServer server, String type, byte[] body) throws Exception {
    URI uri = server.uri().resolve("/v1/events");
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(uri)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  private HttpResponse<String> query(LogServer server, String statement, String format)
      throws Exception {
    return http.send(
        HttpRequest.newBuilder(server.uri().resolve("/v1/query"))
            .header("Content-Type", "application/rql")
            .header("Accept", format)
            .POST(HttpRequest.BodyPublishers.ofString(statement))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
