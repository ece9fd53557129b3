// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class CheckCommandTest {
  private static final String EVENTS =
      """
      {"node":"a","log":"lease","hlc":"1000000.0","set":{"holds":true,"term":1}}
      {"node":"b","log":"lease","hlc":"2000000.0","set":{"holds":true,"term":2}}
      {"node":"a","log":"lease","hlc":"2500000.0","set":{"holds":false}}
      """;

  private static final String BROKEN =
      """
      -- Only one <node> holds it.
      CREATE RULE one AS (NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease);
      """;
  private static final String HOLDS = "CREATE RULE grows AS (ALWAYS MIN(term) >= 1 FROM lease);\n";
  private static final String UNSEEN = "CREATE RULE unseen AS (NEVER MAX(trem) > 1 FROM lease);\n";
  private static final String WRONG = "CREATE RULE wrong AS (NEVER MAX(term > 1 FROM lease);\n";
  private static final String MEANINGLESS = "CREATE RULE less AS (NEVER foo(term) FROM lease);\n";

  @TempDir Path folder;

  @Test
  void check_allHold_is0() throws IOException {
    CommandRun run = check(HOLDS);
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("holds         grows (").endsWith("1 rule: 1 holds\n");
  }

  @Test
  void check_oneIsBroken_is1_andDrawsTheFirstCut() throws IOException {
    CommandRun run = check(HOLDS + UNSEEN + BROKEN);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out().lines().map(String::strip))
        .containsSubsequence(
            "Only one <node> holds it.",
            "at 1970-01-01T00:00:02.000000Z, for 500.000 ms",
            "episode one@2000000.0",
            "a     b",
            "holds  true  true",
            "3 rules: 1 holds, 1 broken, 1 inconclusive");
  }

  @Test
  void check_aFileIsMissing_is2() throws IOException {
    CommandRun none = CommandRun.of("check", rules(HOLDS), folder.resolve("no.ndjson").toString());
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("no.ndjson: there is no such file");
    CommandRun noRules =
        CommandRun.of("check", folder.resolve("no.rql").toString(), events().toString());
    assertThat(noRules.exitCode()).isEqualTo(2);
    assertThat(noRules.err()).contains("no.rql");
    CommandRun empty = check("-- nothing\n");
    assertThat(empty.exitCode()).isEqualTo(2);
    assertThat(empty.err())
        .contains("no rule is given")
        .contains("such as: CREATE RULE one_leader");
    Path damaged = folder.resolve("damaged.ndjson");
    Files.writeString(damaged, "{\"node\":}\n{}\n");
    assertThat(CommandRun.of("check", rules(HOLDS), damaged.toString()).exitCode()).isEqualTo(2);
  }

  @Test
  void check_aReportThatCannotBeWritten_is2_notBroken() throws IOException {
    String report = folder.resolve("none").resolve("report.xml").toString();
    CommandRun run = CommandRun.of("check", rules(HOLDS), events().toString(), "--report", report);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("cannot write " + report);
  }

  @Test
  void check_aRuleIsWrong_is3_andTheOthersAreEvaluated() throws IOException {
    CommandRun run = check(WRONG + BROKEN + MEANINGLESS);
    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.out())
        .contains("wrong         wrong (", "LINE 1: ", "LINE 4: ", "broken        one (")
        .endsWith("3 rules: 1 broken, 2 wrong\n");
  }

  @Test
  void check_noServer_is4() throws IOException {
    CommandRun run = CommandRun.of("check", rules(HOLDS), "--server", "http://127.0.0.1:1");
    assertThat(run.exitCode()).isEqualTo(4);
  }

  @Test
  void check_nothingToDecide_is5() throws IOException {
    CommandRun run = check(UNSEEN + HOLDS);
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains("did you mean");
    CommandRun early = CommandRun.of("check", rules(HOLDS), events().toString(), "--last", "1h");
    assertThat(early.exitCode()).isEqualTo(5);
    assertThat(early.out())
        .contains("the range begins at 1970-01-01T00:00:00.000000Z, and the events at");
  }

  @Test
  void check_explain_saysWhatWasRead_inEachFormat() throws IOException {
    String rules =
        rules(BROKEN + HOLDS + "CREATE RULE high AS (NEVER MAX(term) > 9 FROM lease);\n");
    String walk = "walk of 2 statements over lease.term";
    String text = CommandRun.of("check", rules, events().toString(), "--explain").out();
    assertThat(text.lines())
        .containsSubsequence(
            "3 rules: 2 hold, 1 broken",
            "walk of 1 statement over lease.holds",
            walk,
            "  events read: 3",
            "blocks: none, all events are in memory");
    String json =
        CommandRun.of("check", rules, events().toString(), "--explain", "--format", "json").out();
    assertThat(((StructValue) JsonValues.parse(json)).fields().get("explain").toString())
        .contains(walk);
    String xml =
        CommandRun.of("check", rules, events().toString(), "--explain", "--format", "junit").out();
    assertThat(xml).contains("<system-out>walk of 1 statement", walk);
    assertThat(CommandRun.of("check", rules, events().toString()).out()).doesNotContain("walk of");
  }

  @Test
  void check_range_isThatOfTheOptions() throws IOException {
    String rules = rules(BROKEN);
    String events = events().toString();
    assertThat(CommandRun.of("check", rules, events, "--last", "10ms").exitCode()).isEqualTo(1);
    assertThat(CommandRun.of("check", rules, events, "--from", "2500000.0").exitCode()).isZero();
    assertThat(CommandRun.of("check", rules, events, "--until", "1999999.0").exitCode()).isZero();
    assertThat(CommandRun.of("check", rules, events, "--from", "2400000.0").exitCode())
        .isEqualTo(1);
    assertThat(CommandRun.of("check", rules, events, "--from", "1.0", "--last", "1s").exitCode())
        .isEqualTo(2);
    assertThat(CommandRun.of("check", rules, events, "--live", "--for", "1s").exitCode())
        .isEqualTo(2);
    assertThat(CommandRun.of("check", rules, "--live").exitCode()).isEqualTo(2);
  }

  @Test
  void check_junit_hasACaseForEachRule() throws Exception {
    Path report = folder.resolve("report.xml");
    CommandRun run =
        CommandRun.of(
            "check",
            rules(BROKEN + HOLDS + UNSEEN + WRONG),
            events().toString(),
            "--format",
            "junit",
            "--report",
            report.toString());

    Element suite = xml(run.out());
    assertThat(withoutTimes(run.out())).isEqualTo(withoutTimes(Files.readString(report)));
    assertThat(
            Stream.of("tests", "failures", "errors", "skipped")
                .map(suite::getAttribute)
                .collect(Collectors.toList()))
        .containsExactly("4", "1", "1", "1");
    assertThat(content(suite, "failure")).contains("episode one@2000000.0", "holds  true  true");
    assertThat(((Element) suite.getElementsByTagName("failure").item(0)).getAttribute("message"))
        .isEqualTo("Only one <node> holds it.");
    assertThat(content(suite, "error")).contains("RQL01");
    assertThat(((Element) suite.getElementsByTagName("skipped").item(0)).getAttribute("message"))
        .contains("did you mean");
  }

  /** The schema that Surefire publishes for its reports, from its sources. */
  @Test
  void check_junit_isValidByTheSchemaOfSurefire() throws Exception {
    List<Path> schemas;
    try (Stream<Path> files = Files.walk(Path.of("target", "junit-schema"))) {
      schemas = files.filter(file -> file.endsWith("surefire-test-report.xsd")).toList();
    }
    assertThat(schemas).hasSize(1);
    Validator validator =
        SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
            .newSchema(schemas.get(0).toFile())
            .newValidator();
    String warned = EVENTS + "{\"warning\":\"a block with \\u0001 & < is left out\"}\n";
    Path events = Files.writeString(folder.resolve("warned.ndjson"), warned);
    for (String rules : List.of(BROKEN + HOLDS + UNSEEN + WRONG + MEANINGLESS, WRONG, HOLDS)) {
      CommandRun run = CommandRun.of("check", rules(rules), events.toString(), "--format", "junit");
      validator.validate(new StreamSource(new StringReader(run.out())));
    }
    assertThat(xml(CommandRun.of("check", rules(HOLDS), events + "", "--format", "junit").out()))
        .satisfies(suite -> assertThat(content(suite, "system-err")).contains("is left out"));
    assertThatThrownBy(
            () -> validator.validate(new StreamSource(new StringReader("<testsuite name='x'/>"))))
        .isInstanceOf(SAXException.class);
  }

  @Test
  void check_jsonOfWarnings_isAList() throws IOException {
    String warned = EVENTS + "{\"warning\":\"one\"}\n{\"warning\":\"two\"}\n";
    Path events = Files.writeString(folder.resolve("warned.ndjson"), warned);
    CommandRun run = CommandRun.of("check", rules(HOLDS), events + "", "--format", "json");
    assertThat(run.out()).contains("\"warnings\":[\"one\",\"two\"]");
    CommandRun none = CommandRun.of("check", rules(HOLDS), events() + "", "--format", "json");
    assertThat(none.out()).contains("\"warnings\":[]");
  }

  @Test
  void check_outputThatCannotBeWritten_is2_notBroken() throws IOException {
    StringWriter err = new StringWriter();
    int exitCode =
        Retroscope.run(
            new PrintWriter(new FullDisk()),
            new PrintWriter(err),
            Map.of(),
            "check",
            rules(HOLDS),
            events().toString());
    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString()).contains("the output could not be written completely");
  }

  /** A writer that writes nothing. */
  private static final class FullDisk extends Writer {
    @Override
    public void write(char[] text, int from, int length) throws IOException {
      throw new IOException("no space left on device");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void check_json_isOneObject() throws IOException {
    CommandRun run =
        CommandRun.of("check", rules(BROKEN + HOLDS), events().toString(), "--format", "json");

    StructValue object = (StructValue) JsonValues.parse(run.out());
    assertThat(object.fields())
        .containsEntry("holds", Value.of(1))
        .containsEntry("broken", Value.of(1))
        .containsEntry("wrong", Value.of(0));
    assertThat(run.out())
        .contains("\"episode\":\"one@2000000.0\"", "\"durationMicros\":500000", "\"reason\":\"\"");
    // A line per rule, so that reports can be compared by line.
    assertThat(run.out().lines()).filteredOn(line -> line.startsWith("{\"rule\":")).hasSize(2);
  }

  @Test
  void check_live_endsAtTheFirstBrokenRule_orAfterItsTime() throws Exception {
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build())) {
      String address = "http://127.0.0.1:" + server.port();
      List<String> lines = EVENTS.lines().toList();
      send(address, lines.get(0) + "\n");
      CommandRun quiet =
          CommandRun.of("check", rules(BROKEN), "--server", address, "--live", "--for", "1ms");
      assertThat(quiet.exitCode()).isIn(0, 5);

      CompletableFuture<CommandRun> live =
          CompletableFuture.supplyAsync(
              () ->
                  CommandRun.of(
                      "check",
                      folder.resolve("rules.rql").toString(),
                      "--server",
                      address,
                      "--live",
                      "--for",
                      "1h"));
      // What the server has when the check begins does not count: the rule is broken repeatedly.
      AtomicInteger second = new AtomicInteger(2);
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                send(address, brokenAt(second.getAndIncrement()));
                return live.isDone();
              });
      assertThat(live.get().exitCode()).isEqualTo(1);
    }
  }

  @Test
  void backtest_rules_listsEveryEpisode() throws IOException {
    String events = events().toString();
    CommandRun run = CommandRun.of("backtest", rules(BROKEN + HOLDS), events, "--format", "csv");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "episode,time,uncertaintyMicros,durationMicros,open,cut",
            "one@2000000.0,1970-01-01T00:00:02.000000Z,,500000,false,"
                + "\"{\"\"holds\"\":{\"\"a\"\":true,\"\"b\"\":true}}\"");

    CommandRun wrong = CommandRun.of("backtest", rules(WRONG + MEANINGLESS + BROKEN), events);
    assertThat(wrong.exitCode()).isEqualTo(3);
    assertThat(wrong.out()).contains("one@2000000.0");
    assertThat(wrong.err()).contains("rules.rql:1:", "RQL0205");

    CommandRun unseen = CommandRun.of("backtest", rules(UNSEEN), events);
    assertThat(unseen.exitCode()).isZero();
    assertThat(unseen.err()).contains("warning: unseen: ", "did you mean");
  }

  private static String brokenAt(int second) {
    return """
        {"node":"a","log":"lease","hlc":"%1$d000000.0","set":{"holds":true}}
        {"node":"b","log":"lease","hlc":"%1$d100000.0","set":{"holds":true}}
        {"node":"a","log":"lease","hlc":"%1$d500000.0","set":{"holds":false}}
        """
        .formatted(second);
  }

  private static void send(String server, String events) throws IOException {
    Path file = Files.createTempFile("events", ".ndjson");
    Files.writeString(file, events);
    assertThat(CommandRun.of("import", file.toString(), "--server", server).exitCode()).isZero();
    Files.delete(file);
  }

  private CommandRun check(String rules) throws IOException {
    return CommandRun.of("check", rules(rules), events().toString());
  }

  private String rules(String text) throws IOException {
    return Files.writeString(folder.resolve("rules.rql"), text).toString();
  }

  private Path events() throws IOException {
    return Files.writeString(folder.resolve("events.ndjson"), EVENTS);
  }

  private static Element xml(String text) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(text)))
        .getDocumentElement();
  }

  private static String content(Element suite, String element) {
    return suite.getElementsByTagName(element).item(0).getTextContent();
  }

  private static String withoutTimes(String xml) {
    return xml.replaceAll("time=\"[^\"]*\"", "");
  }
}
