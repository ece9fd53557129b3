// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that read files, with text logs. */
class TextLogCommandTest {
  private static final String DERIVED =
      "warning: derived stamps: order between nodes rests on clocks, except for 1 message\n";

  private static final List<String> RULES =
      List.of(
          "--set",
          "became (?<role>\\w+)",
          "--send",
          "sent (?<id>m\\d+)",
          "--receive",
          "got (?<id>m\\d+)");

  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String one() throws IOException {
    return file(
        "n1.log",
        """
        2026-11-20 18:40:05 INFO became leader
        2026-11-20 18:40:06 INFO sent m1
        """);
  }

  private String two() throws IOException {
    return file(
        "n2.log",
        """
        2026-11-20 18:40:00 INFO got m1
        2026-11-20 18:40:01 INFO became leader
        """);
  }

  private static CommandRun run(List<String> rules, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(rules);
    return CommandRun.of(all.toArray(String[]::new));
  }

  @Test
  void check_textLogs_isBorderline() throws IOException {
    String rules =
        file(
            "r.rql",
            "CREATE RULE one_leader AS (NEVER role@n1 = 'leader' AND role@n2 = 'leader' FROM"
                + " app);\n");

    CommandRun run = run(RULES, "check", rules, one(), two(), "--format", "json");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("\"borderline\":true").contains("derived stamps");
  }

  /** Two messages bound the clocks to some 100 ms; both led for longer than that. */
  @Test
  void check_longRunsOrOneNode_areNotBorderline() throws IOException {
    String first =
        file(
            "a.log",
            """
            2026-11-20 18:40:00.000 INFO sent m1
            2026-11-20 18:40:00.200 INFO got m2
            2026-11-20 18:40:01.000 INFO became leader
            2026-11-20 18:40:09.000 INFO became follower
            """);
    String second =
        file(
            "b.log",
            """
            2026-11-20 18:40:00.100 INFO got m1
            2026-11-20 18:40:00.110 INFO sent m2
            2026-11-20 18:40:05.000 INFO became leader
            2026-11-20 18:40:09.010 INFO became follower
            """);
    String rules =
        file(
            "r.rql",
            """
            CREATE RULE both AS (NEVER role@a = 'leader' AND role@b = 'leader' FROM app);
            CREATE RULE one AS (NEVER role@a = 'candidate' FROM app);
            CREATE RULE close AS (NEVER role@a = 'follower' AND role@b = 'leader' FROM app);
            CREATE RULE none AS (NEVER role@a = 'follower' AND role@b = 'candidate' FROM app);
            """);

    CommandRun run = run(RULES, "check", rules, first, second);

    assertThat(run.out().split("\n(?=\\S)"))
        .anySatisfy(rule -> assertThat(rule).contains("both").doesNotContain("borderline"))
        .anySatisfy(rule -> assertThat(rule).contains("one").doesNotContain("borderline"))
        .anySatisfy(rule -> assertThat(rule).contains("close").contains("borderline"))
        .anySatisfy(rule -> assertThat(rule).contains("none").contains("borderline"));
  }

  @Test
  void import_textLogs_keepsWhatStampsRestOn() throws IOException {
    Path out = folder.resolve("out.ndjson");

    CommandRun run = run(RULES, "import", one(), two(), "--to", out.toString());

    assertThat(run.out()).startsWith("imported 8 events of 2 nodes with 1 message,");
    assertThat(run.err()).isEqualTo(DERIVED);
    assertThat(CommandRun.of("export", out.toString()).err()).isEqualTo(DERIVED);
    assertThat(CommandRun.of("diff", out.toString(), out.toString()).exitCode()).isZero();
  }

  @Test
  void export_andLogs_readTextLogs() throws IOException {
    assertThat(CommandRun.of("export", one()).out()).contains("\"message\":\"became leader\"");
    assertThat(CommandRun.of("logs", "--file", one(), "--zone", "Europe/Berlin").out())
        .startsWith("2026-11-20T17:40:05.000000Z  n1  INFO  became leader");
  }

  @Test
  void shell_timeWithoutAZoneInAQuery_hasTheZoneOfTheLines() throws IOException {
    TimeZone machine = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
    try {
      assertThat(stateAt("2026-11-20 18:40:05")).contains("2026-11-20T18:40:05.000000Z,");
      assertThat(stateAt("2026-11-20 18:40:05", "--zone", "Europe/Berlin"))
          .contains("2026-11-20T17:40:05.000000Z,");
    } finally {
      TimeZone.setDefault(machine);
    }
  }

  /** The rows of a query at one instant. */
  private String stateAt(String time, String... options) throws IOException {
    Path rows = folder.resolve("rows.csv");
    List<String> arguments = new ArrayList<>(List.of("shell", one(), "--format", "csv"));
    arguments.addAll(List.of(options));
    arguments.addAll(List.of("--set", "became (?<role>\\w+)", "-c", "\\o " + rows));
    arguments.addAll(List.of("-c", "SELECT role FROM app ON TIME '" + time + "'"));
    assertThat(CommandRun.of(arguments.toArray(String[]::new)).exitCode()).isZero();
    String found = Files.readString(rows);
    assertThat(found).contains("leader");
    return found;
  }

  @Test
  void set_thatMatchesNoLine_isNamed() throws IOException {
    String out = folder.resolve("out.ndjson").toString();
    String[] matching = {"import", one(), two(), "--set", "became (?<role>\\w+)", "--to", out};

    CommandRun run = CommandRun.of("logs", one(), two(), "--set", "bcame (?<role>\\w+)");

    assertThat(run.err())
        .containsOnlyOnce("--set 'bcame (?<role>\\w+)' matched none of the lines\n");
    assertThat(CommandRun.of(matching).err()).doesNotContain("matched none");
  }

  /** An expression is named even if another one finds the same variable. */
  @Test
  void expression_thatMatchesNoLine_isNamedWithItsOption() throws IOException {
    List<String> rules = new ArrayList<>(RULES);
    rules.addAll(List.of("--set", "bcame (?<role>\\w+)"));
    rules.addAll(List.of("--send", "snet (?<id>m\\d+)", "--receive", "gto (?<id>m\\d+)"));

    CommandRun run = run(rules, "logs", one(), two());

    assertThat(run.err().lines().filter(line -> line.endsWith(" matched none of the lines")))
        .containsExactly(
            "note: --set 'bcame (?<role>\\w+)' matched none of the lines",
            "note: --send 'snet (?<id>m\\d+)' matched none of the lines",
            "note: --receive 'gto (?<id>m\\d+)' matched none of the lines");
  }

  @Test
  void node_namesAllFiles() throws IOException {
    String out = folder.resolve("out.ndjson").toString();

    CommandRun run = CommandRun.of("import", one(), two(), "--node", "n", "--to", out);

    assertThat(run.out()).startsWith("imported 4 events of 1 node ");
  }

  @Test
  void formats_listsThemWithExamples() {
    CommandRun run = CommandRun.of("formats");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("time-first: Logback").contains("    I1120 18:40:00.123456");
  }

  @Test
  void formats_explain_showsWhatBecomesOfLines() throws IOException {
    CommandRun run = run(List.of("--set", "became (?<role>\\w+)"), "formats", "--explain", one());

    assertThat(run.out())
        .contains("format time-first, node n1, times without a zone, read as UTC")
        .contains("level \"INFO\"; message \"became leader\"; sets role = leader");
  }

  @Test
  void formats_ofAUser_areReadFirst() throws IOException {
    String formats =
        file(
            "f.json",
            "{\"mine\":{\"regex\":{\"a\":{\"pattern\":\"^(?<timestamp>.{19}) INFO"
                + " (?<body>.*)$\"}}}}");

    CommandRun run = CommandRun.of("formats", "--formats", formats, "--explain", one());

    assertThat(run.out()).contains("format mine, ");
  }

  @Test
  void wrongOptions_areNamed() throws IOException {
    assertThat(CommandRun.of("shell", one(), "--zone", "Mars", "-c", "SHOW LOGS").err())
        .contains("\"Mars\" is no time zone");
    assertThat(CommandRun.of("import", one(), "--set", "(?=a)", "--to", "x").err())
        .contains("has look-ahead at character 1");
    assertThat(CommandRun.of("import", one(), "--stamps", "x", "--to", "x").exitCode())
        .isEqualTo(2);
    assertThat(CommandRun.of("import", one(), "--format", "nope", "--to", "x").err())
        .contains("there is no format \"nope\": \"./retroscope formats\" lists them");
    assertThat(CommandRun.of("import", one(), "--node-from", "x", "--to", "x").err())
        .contains("has no group (?<node>...)");
  }
}
