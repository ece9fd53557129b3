// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.Retroscope;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BugReportCommandTest {
  @TempDir private Path folder;

  private static String report(String... options) {
    List<String> args = new ArrayList<>(List.of("bug-report"));
    args.addAll(List.of(options));
    StringWriter out = new StringWriter();
    int exitCode =
        Retroscope.commandLine("bug-report")
            .setOut(new PrintWriter(out))
            .execute(args.toArray(String[]::new));
    assertThat(exitCode).isZero();
    return out.toString();
  }

  private String events(int count) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines.append(
          "{\"node\":\"n%d\",\"log\":\"l\",\"hlc\":%d,\"set\":{\"x\":%d}}\n"
              .formatted(i, 1_000 + i, i));
    }
    return Files.writeString(folder.resolve("e.ndjson"), lines).toString();
  }

  @Test
  void call_file_hasVersionsCatalogsAndThePlan() throws IOException {
    String report = report("--file", events(3), "--query", "SELECT x FROM l WHEN SPREAD(x) >= 1");

    assertThat(report)
        .startsWith("# Versions\nretroscope 0.1.0\nJava " + System.getProperty("java.version"))
        .contains("\n# Settings of this process\n", "\n# Catalogs\nof ")
        .contains(
            "\nSHOW LOGS\n log | variables | events", "\nSHOW NODES\n", "\nSHOW VARIABLES\n", " x ")
        .contains("\nEXPLAIN ANALYZE SELECT x FROM l WHEN SPREAD(x) >= 1\n")
        .doesNotContain("error");
    assertThat(report.substring(report.indexOf("EXPLAIN ANALYZE"))).contains("cuts");
  }

  @Test
  void call_manyNodes_printsTheFirst() throws IOException {
    String nodes = report("--file", events(BugReportCommand.MAX_ROWS + 20));
    nodes = nodes.substring(nodes.indexOf("SHOW NODES"), nodes.indexOf("SHOW VARIABLES"));

    assertThat(nodes.lines().filter(line -> line.startsWith(" n") && line.contains("|")))
        .hasSizeBetween(BugReportCommand.MAX_ROWS, BugReportCommand.MAX_ROWS + 1);
    assertThat(nodes).contains("(there are more)");
  }

  @Test
  void call_wrongStatement_isPartOfTheReport() throws IOException {
    assertThat(report("--file", events(1), "--query", "SELECT yy FROM l"))
        .contains("error[RQL", "unknown variable \"yy\"");
  }

  @Test
  void call_server_hasItsVersion() {
    try (LogServer server = LogServer.start(ServerConfig.in(folder).port(0).build())) {
      assertThat(report("--server", server.uri().toString()))
          .contains(
              "of " + server.uri(), "{\"ready\":true,\"version\":\"0.1.0\"}", "\nSHOW QUERIES\n");
    }
  }

  @Test
  void call_noServer_stillHasTheVersions() {
    assertThat(report("--server", "http://127.0.0.1:1"))
        .startsWith("# Versions\nretroscope 0.1.0\n")
        .contains("error: no connection to http://127.0.0.1:1: is the server running?");
  }

  @Test
  void settings_onlyListedNames_areShown() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("HOME", "/home/secret");
    environment.put("JAVA_TOOL_OPTIONS", "-Djavax.net.ssl.keyStorePassword=secret");
    environment.put("RETROSCOPE_JAVA_OPTS", "-Dpassword=secret");
    environment.put("RETROSCOPE_KAFKA_SASL_JAAS_CONFIG", "secret");
    environment.put("RETROSCOPE_NEW_SETTING", "secret");
    environment.put("RETROSCOPE_NODE", "zk1");
    environment.put("RETROSCOPE_SERVER", "https://ann:secret@host:7340");
    environment.put("RETROSCOPE_TOKEN", "secret");
    environment.put("RETROSCOPE_TOKENS", "web write secret");
    environment.put("RETROSCOPE_TOKEN_FILE", "/run/token");
    environment.put("RETROSCOPE_KEY", "-----BEGIN PRIVATE KEY-----secret");
    environment.put("TZ", "UTC");

    List<String> lines = ReportedSettings.of(environment);

    assertThat(lines)
        .contains("RETROSCOPE_NODE=zk1", "RETROSCOPE_TOKEN_FILE=/run/token", "TZ=UTC")
        .contains("RETROSCOPE_TOKEN=(set, not shown)", "RETROSCOPE_SERVER=(set, not shown)")
        .hasSize(environment.size() - 1);
    assertThat(lines).noneMatch(line -> line.contains("secret"));
  }
}
