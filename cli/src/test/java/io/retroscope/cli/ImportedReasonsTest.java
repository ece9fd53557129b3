// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.client.Session;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What files say about their own events is said by every later answer of a server that has imported
 * them, and by none over other events.
 */
class ImportedReasonsTest {
  private static final String DERIVED =
      "derived stamps: order between nodes rests on clocks, except for 1 message";
  private static final String PART =
      "the events are a part of a recording: only from 2026-11-20T18:40:04.000000Z, without the"
          + " state there";
  private static final String LEADERS =
      "NEVER role@n1 = 'leader' AND role@n2 = 'follower' FROM app;";
  private static final String ONE_HOLDER =
      "NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease AT NODES a, b;";
  private static final String OTHER = "NEVER MAX(x) > 5 FROM other AT NODES c;";

  @TempDir Path folder;

  @Test
  void answers_overImportedTextLogs_nameDerivedStamps() throws IOException {
    try (LogServer server = server("data")) {
      importLogs(server);
      assertDerived(server.uri());
    }
    try (LogServer server = server("data")) {
      assertDerived(server.uri());
    }
  }

  @Test
  void answers_overARestoredBackup_nameDerivedStamps() throws IOException {
    try (LogServer server = server("data")) {
      importLogs(server);
    }
    String data = folder.resolve("data").toString();
    String backups = folder.resolve("backups").toString();
    assertThat(CommandRun.of("store", "verify", "--data", data).out())
        .contains("reasons: 3 entries read");
    assertThat(CommandRun.of("store", "backup", "--data", data, backups).exitCode()).isZero();
    String restored = folder.resolve("restored").toString();
    assertThat(CommandRun.of("store", "restore", "--data", restored, backups).exitCode()).isZero();
    try (LogServer server = server("restored")) {
      assertDerived(server.uri());
    }
  }

  @Test
  void answers_overAnExportOfTheServer_nameDerivedStamps() throws IOException {
    Path export = folder.resolve("export.ndjson");
    try (LogServer server = server("data")) {
      importLogs(server);
      run("export", "--server", server.uri().toString(), "--to", export.toString());
    }
    assertThat(check(LEADERS, export.toString(), "--format", "json").out())
        .contains("\"borderline\":true", DERIVED);
  }

  private void assertDerived(URI server) throws IOException {
    assertThat(ask(server, "SELECT role FROM app;").warnings).contains(DERIVED);
    Answer verdict = ask(server, LEADERS);
    assertThat(verdict.rows)
        .singleElement()
        .asString()
        .contains("holds", "BooleanValue[value=true]]");
    assertThat(check(LEADERS, "--server", server.toString(), "--format", "json").out())
        .contains("\"borderline\":true", DERIVED);
    assertThat(streamWarnings(server, "SELECT STREAM role FROM app ON TIME NOW - 400d;", DERIVED))
        .contains(DERIVED);
    assertUnmarked(server);
  }

  private void importLogs(LogServer server) throws IOException {
    String one =
        write(
            "n1.log",
            """
            2026-11-20 18:40:05 INFO became leader
            2026-11-20 18:40:06 INFO sent m1
            """);
    String two =
        write(
            "n2.log",
            """
            2026-11-20 18:40:00 INFO got m1
            2026-11-20 18:40:01 INFO became leader
            """);
    String address = server.uri().toString();
    run(
        "import",
        one,
        two,
        "--server",
        address,
        "--set",
        "became (?<role>\\w+)",
        "--send",
        "sent (?<id>m\\d+)",
        "--receive",
        "got (?<id>m\\d+)");
    importOther(address);
  }

  @Test
  void answers_overAnImportedPart_areQualified() throws IOException {
    String whole = write("lease.ndjson", lease(true));
    String part = folder.resolve("part.ndjson").toString();
    run("export", whole, "--from", "1795200004000000.0", "--to", part);
    try (LogServer server = server("data")) {
      run("import", part, "--server", server.uri().toString());
      importOther(server.uri().toString());
      assertPart(server.uri());
    }
    try (LogServer server = server("data")) {
      assertPart(server.uri());
    }
  }

  private void assertPart(URI server) throws IOException {
    assertThat(ask(server, "SELECT holds FROM lease;").warnings).contains(PART);
    assertThat(ask(server, ONE_HOLDER).rows).singleElement().asString().contains("inconclusive");
    CommandRun run = check(ONE_HOLDER, "--server", server.toString());
    assertThat(run.exitCode()).isEqualTo(5);
    assertThat(run.out()).contains(PART);
    assertThat(streamWarnings(server, "SELECT STREAM holds FROM lease ON TIME NOW - 400d;", PART))
        .contains(PART);
    assertUnmarked(server);
  }

  @Test
  void answers_overAnImportedFileThatWasCutOff_areInconclusive() throws IOException {
    String whole = lease(false);
    String cut = write("cut.ndjson", whole.substring(0, whole.length() - 20));
    try (LogServer server = server("data")) {
      String kept = folder.resolve("kept.ndjson").toString();
      assertThat(CommandRun.of("import", cut, "--to", kept).exitCode()).isEqualTo(1);
      assertThat(CommandRun.of("export", cut, "--to", kept).err()).contains("cut.ndjson:5");
      CommandRun imported = CommandRun.of("import", kept, "--server", server.uri().toString());
      assertThat(imported.err()).contains("cut.ndjson:5");
      importOther(server.uri().toString());
      CommandRun run = check(ONE_HOLDER, "--server", server.uri().toString());
      assertThat(run.exitCode()).isEqualTo(5);
      assertThat(run.out()).contains("cut.ndjson:5");
      assertUnmarked(server.uri());
    }
  }

  @Test
  void answers_overAnEarlierRange_areNotMarked() throws IOException {
    String whole = write("lease.ndjson", lease(false));
    String part = folder.resolve("part.ndjson").toString();
    run("export", whole, "--from", "1795200004000000.0", "--to", part);
    String before =
        write(
            "before.ndjson",
            """
            {"hlc":"1795100000000000.0","node":"a","log":"lease","set":{"holds":false}}
            {"hlc":"1795100001000000.0","node":"b","log":"lease","set":{"holds":false}}
            """);
    try (LogServer server = server("data")) {
      run("import", part, before, "--server", server.uri().toString());
      String earlier =
          ONE_HOLDER.replace(";", " ON TIME hlc'1795100000000000.0' TO hlc'1795100001000000.0';");
      assertThat(ask(server.uri(), earlier).rows).singleElement().asString().contains("holds");
      assertThat(ask(server.uri(), ONE_HOLDER).rows)
          .singleElement()
          .asString()
          .contains("inconclusive");
    }
  }

  private void assertUnmarked(URI server) throws IOException {
    Answer select = ask(server, "SELECT x FROM other;");
    assertThat(select.warnings).allMatch(warning -> warning.startsWith("complete only up to "));
    assertThat(check(OTHER, "--server", server.toString()).exitCode()).isZero();
  }

  private void importOther(String address) throws IOException {
    String other =
        write(
            "other.ndjson",
            """
            {"hlc":"1795200000000000.0","node":"c","log":"other","set":{"x":1}}
            {"hlc":"1795200007000000.0","node":"c","log":"other","set":{"x":2}}
            """);
    run("import", other, "--server", address);
  }

  private static String lease(boolean heldTwice) {
    return """
    {"hlc":"1795200000000000.0","node":"a","log":"lease","set":{"holds":%s}}
    {"hlc":"1795200000000000.0","node":"b","log":"lease","set":{"holds":false}}
    {"hlc":"1795200005000000.0","node":"b","log":"lease","set":{"holds":true}}
    {"hlc":"1795200006000000.0","node":"b","log":"lease","set":{"holds":false}}
    {"hlc":"1795200007000000.0","node":"a","log":"lease","set":{"holds":false}}
    """
        .formatted(heldTwice);
  }

  private static void run(String... command) {
    CommandRun run = CommandRun.of(command);
    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  private CommandRun check(String claim, String... options) throws IOException {
    String rules = write("rules.rql", "CREATE RULE r AS (%s);\n".formatted(claim.replace(";", "")));
    List<String> command = new ArrayList<>(List.of("check", rules));
    command.addAll(List.of(options));
    return CommandRun.of(command.toArray(String[]::new));
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private LogServer server(String data) {
    return LogServer.start(ServerConfig.in(folder.resolve(data)).port(0).build());
  }

  private static Answer ask(URI server, String statement) throws IOException {
    Answer answer = new Answer();
    try (Session session = new RqlClient(server)) {
      session.run(statement, answer);
    }
    return answer;
  }

  private static List<String> streamWarnings(URI server, String statement, String expected) {
    Answer answer = new Answer();
    Thread reader =
        new Thread(
            () -> {
              try (Session session = new RqlClient(server)) {
                session.run(statement, answer);
              } catch (IOException e) {
                answer.warnings.add(String.valueOf(e.getMessage()));
              }
            },
            "stream");
    reader.setDaemon(true);
    reader.start();
    await().atMost(Duration.ofSeconds(60)).until(() -> answer.warnings.contains(expected));
    answer.enough = true;
    return answer.warnings;
  }

  private static final class Answer implements RowSink {
    private final List<Object> rows = new CopyOnWriteArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private volatile boolean enough;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      rows.add(row.values());
      return !enough;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public boolean cancelled() {
      return enough;
    }
  }
}
