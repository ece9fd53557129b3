// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.print.LineColumn;
import io.retroscope.cli.print.LinePrinter;
import io.retroscope.event.Value.StructValue;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.lines.LineJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LogsCommandTest {
  /**
   * a's clock is 40 ms ahead of b's, and a message took 1 ms in each direction; e has no readings.
   */
  private static final String EVENTS =
      """
      {"node":"a","log":"app","hlc":"1795200000000001.0","pt":1795200000000001,"message":"order 7 taken","fields":{"level":"INFO","user":"ann lee"}}
      {"node":"a","log":"net","hlc":"1795200000000101.0","pt":1795200000000101,"send":{"to":"b","id":"m1"}}
      {"node":"b","log":"net","hlc":"1795200000000101.1","pt":1795199999961101,"receive":{"from":"a","id":"m1"}}
      {"node":"b","log":"app","hlc":"1795200000000101.2","pt":1795199999961301,"message":"order 7 packed","fields":{"level":"INFO"}}
      {"node":"b","log":"printer","hlc":"1795200000000101.3","pt":1795199999961401,"message":"out of\\npaper","fields":{"level":"WARN","tries":3}}
      {"node":"b","log":"net","hlc":"1795200000000101.4","pt":1795199999962101,"send":{"to":"a","id":"m2"}}
      {"node":"a","log":"app","hlc":"1795200000001501.0","pt":1795200000001501,"message":"waiting"}
      {"node":"e","log":"app","hlc":"1795200000002000.0","message":"nobody knows my clock"}
      {"node":"a","log":"net","hlc":"1795200000003101.0","pt":1795200000003101,"receive":{"from":"b","id":"m2"}}
      {"node":"a","log":"app","hlc":"1795200000003201.0","pt":1795200000003201,"message":"order 7 sent","fields":{"level":"INFO"}}
      """;

  private static final String PRINTED =
      """
      2026-11-20T18:40:00.000001Z  a  INFO  order 7 taken  user="ann lee"
      2026-11-20T18:40:00.001301Z  b  INFO  order 7 packed
      2026-11-20T18:40:00.001401Z  b  WARN  out of\\npaper  tries=3
      2026-11-20T18:40:00.001501Z  a        waiting
      2026-11-20T18:40:00.002000Z  e        nobody knows my clock
      2026-11-20T18:40:00.003201Z  a  INFO  order 7 sent
      """;

  @TempDir Path folder;
  private String file = "";

  @BeforeEach
  void write() throws IOException {
    file = Files.writeString(folder.resolve("e.ndjson"), EVENTS).toString();
  }

  private String logs(String... options) {
    CommandRun run = run(options);
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    return run.out();
  }

  private CommandRun run(String... options) {
    String[] args = new String[options.length + 3];
    args[0] = "logs";
    args[1] = "--file";
    args[2] = file;
    System.arraycopy(options, 0, args, 3, options.length);
    return CommandRun.of(args);
  }

  @Test
  void logs_file_mergesNodesInAlignedOrder() {
    assertThat(logs()).isEqualTo(PRINTED);
  }

  @Test
  void logs_fileWithoutTheOption_isReadTheSame() {
    assertThat(CommandRun.of("logs", file, "--grep", "nothing").err())
        .isEqualTo("error: no log line of " + file + " matches; leave out --grep\n");
    assertThat(CommandRun.of("logs", file).out()).isEqualTo(logs()).isEqualTo(PRINTED);
  }

  @Test
  void logs_columns_areTheOnesAskedFor() {
    assertThat(logs("--columns", "time,uncertainty,raw,hlc,node,log,clock", "--last", "4"))
        .isEqualTo(
            """
            2026-11-20T18:40:00.001401Z  ±1.068 ms  2026-11-20T18:39:59.961401Z  1795200000000101.3  b  printer  a
            2026-11-20T18:40:00.001501Z  ±0.000 ms  2026-11-20T18:40:00.001501Z  1795200000001501.0  a  app      a
            2026-11-20T18:40:00.002000Z  ±unknown                                1795200000002000.0  e  app
            2026-11-20T18:40:00.003201Z  ±0.000 ms  2026-11-20T18:40:00.003201Z  1795200000003201.0  a  app      a
            """);
  }

  @Test
  void logs_filters_leaveOutTheOthers() {
    List<String> lines = PRINTED.lines().toList();
    assertThat(logs("--grep", "^order \\d")).hasLineCount(3).contains("packed");
    CommandRun severe = run("--level", "warn");
    assertThat(severe.out().strip()).isEqualTo(lines.get(2));
    assertThat(severe.err()).isEqualTo("warning: lines without a level are left out\n");
    assertThat(logs("--node", "b").lines()).isEqualTo(lines.subList(1, 3));
    assertThat(logs("--node", "b", "--node", "e", "--log", "app")).hasLineCount(2);
    assertThat(logs("--since", "2026-11-20T18:40:00.0014Z", "--until", "2026-11-20T18:40:00.0019Z"))
        .hasLineCount(2);
    assertThat(logs("--since", "1500us")).hasLineCount(2);
    assertThat(logs("--last", "2").lines()).hasSize(2);
  }

  @Test
  void logs_format_printsTheColumnsAsThatFormatDoes() {
    assertThat(logs("--format", "jsonl", "--last", "1"))
        .isEqualTo(
            "{\"time\":\"2026-11-20T18:40:00.003201Z\",\"node\":\"a\",\"level\":\"INFO\","
                + "\"message\":\"order 7 sent\",\"fields\":{\"level\":\"INFO\"}}\n");
    assertThat(logs("--format", "csv", "--columns", "uncertainty,hlc,message", "--node", "e"))
        .isEqualTo(
            "uncertaintyMicros,hlc,message\r\n,1795200000002000.0,nobody knows my clock\r\n");
  }

  @Test
  void logs_server_printsWhatTheFileOfItsEventsPrints() {
    try (LogServer server = server()) {
      String address = server.uri().toString();
      CommandRun none = CommandRun.of("logs", "--server", address);
      assertThat(none.exitCode()).isEqualTo(1);
      assertThat(none.err())
          .isEqualTo(
              "error: " + address + " has no log lines: those are events with a \"message\"\n");

      CommandRun.of("import", file, "--server", address);
      assertThat(CommandRun.of("logs", "--server", address))
          .isEqualTo(new CommandRun(0, PRINTED, ""));
      assertThat(CommandRun.of("logs", "--server", address, "--node", "x").err())
          .isEqualTo(
              "error: " + address + " refused: nothing is stored for node x; there is a, b, e\n");
    }
  }

  @Test
  void logs_follow_printsTheLastLinesAndThenNewOnesAlsoAfterARestart() throws Exception {
    int port = LoopbackPorts.take(1, new Random())[0];
    LogServer server = server(port);
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try {
      String address = server.uri().toString();
      CommandRun.of("import", file, "--server", address);
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      Future<Integer> following =
          threads.submit(
              () ->
                  Retroscope.run(
                      new PrintWriter(out),
                      new PrintWriter(err),
                      Map.of(),
                      "logs",
                      "--server",
                      address,
                      "--follow",
                      "--last",
                      "2"));
      String before =
          """
          2026-11-20T18:40:00.002000Z  e  nobody knows my clock
          2026-11-20T18:40:00.003201Z  a  INFO  order 7 sent
          """;
      await(() -> out.toString().equals(before));
      importLine(address, "1795200000005000", "news");
      String news = "2026-11-20T18:40:00.005000Z  a        news\n";
      await(() -> out.toString().equals(before + news));
      importLine(address, "1795199999000000", "old");
      String old = "2026-11-20T18:39:59.000000Z*  a        old\n";
      await(() -> out.toString().equals(before + news + old));

      server.close();
      await(() -> err.toString().endsWith("connecting again\n"));
      server = server(port);
      importLine(address, "1795200000006000", "back");
      await(() -> out.toString().endsWith("back\n"));
      assertThat(out)
          .hasToString(before + news + old + "2026-11-20T18:40:00.006000Z   a        back\n");
      assertThat(err)
          .hasToString("warning: " + address + ": the server is shutting down; connecting again\n");
      following.cancel(true);
    } finally {
      threads.shutdownNow();
      server.close();
    }
  }

  private void importLine(String address, String micros, String message) {
    try {
      Path line =
          Files.writeString(
              folder.resolve("line.ndjson"),
              "{\"node\":\"a\",\"log\":\"app\",\"hlc\":\"%s.0\",\"pt\":%s,\"message\":\"%s\"}\n"
                  .formatted(micros, micros, message));
      assertThat(CommandRun.of("import", line.toString(), "--server", address).exitCode()).isZero();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
  }

  @Test
  void logs_followForAWhile_endsWell() {
    try (LogServer server = server()) {
      String address = server.uri().toString();
      CommandRun.of("import", file, "--server", address);
      assertThat(CommandRun.of("logs", "--server", address, "-f", "--for", "200ms"))
          .isEqualTo(new CommandRun(0, PRINTED, ""));
    }
  }

  @Test
  void logs_wrongUse_isOneSentenceWithAHint() throws IOException {
    CommandRun column = run("--columns", "tim");
    assertThat(column.exitCode()).isEqualTo(2);
    assertThat(column.err())
        .contains(
            "no such column: \"tim\"; the columns are time, uncertainty, clock, raw, hlc, node,"
                + " log, level, message, fields, late\n")
        .endsWith("help: retroscope logs --help\n");
    assertThat(run("--level", "loud").exitCode()).isEqualTo(2);
    assertThat(run("--follow"))
        .isEqualTo(
            new CommandRun(
                2, "", "error: --follow needs a log server: a file of events is read once\n"));
    assertThat(run("--grep", "("))
        .isEqualTo(
            new CommandRun(
                2,
                "",
                "error: not a regular expression of RE2's syntax: \"(\": missing closing )\n"));
    assertThat(run("--grep", "nothing", "--node", "a"))
        .isEqualTo(
            new CommandRun(
                1, "", "error: no log line of " + file + " matches; leave out --node or --grep\n"));
    String absent = folder.resolve("absent").toString();
    assertThat(CommandRun.of("logs", "--file", absent).err())
        .isEqualTo("error: " + absent + ": there is no such file or folder\n");
    String silent =
        Files.writeString(
                folder.resolve("s.ndjson"),
                "{\"node\":\"a\",\"log\":\"l\",\"hlc\":1,\"set\":{\"x\":1}}\n")
            .toString();
    assertThat(CommandRun.of("logs", "--file", silent))
        .isEqualTo(
            new CommandRun(
                1,
                "",
                "error: " + silent + " has no log lines: those are events with a \"message\"\n"));
    assertThat(CommandRun.of("logs", "--server", "http://127.0.0.1:1").exitCode()).isEqualTo(4);
  }

  @Test
  void printer_terminal_givesEachNodeAColour() throws IOException {
    AlignedLine line =
        LineJson.read(
            (StructValue)
                JsonValues.parse(
                    "{\"time\":\"2026-11-20T18:40:00.000001Z\",\"hlc\":\"1.0\",\"node\":\"a\","
                        + "\"log\":\"app\",\"message\":\"\\u001b[31mred\"}"));
    StringWriter out = new StringWriter();
    new LinePrinter(new PrintWriter(out), List.of(LineColumn.NODE, LineColumn.MESSAGE), true)
        .print(line);
    assertThat(out.toString()).isEqualTo("\u001b[36ma\u001b[0m  \\u001B[31mred\n");
  }

  private LogServer server() {
    return server(0);
  }

  private LogServer server(int port) {
    return LogServer.start(ServerConfig.in(folder.resolve("data")).port(port).build());
  }
}
