// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A test of the commands about many runs: check --runs, diff --failing and propose. */
class RunsCommandTest {
  @TempDir private Path folder = Path.of("");

  private Path runs = Path.of("");

  @BeforeEach
  void makeRuns() throws IOException {
    runs = Files.createDirectories(folder.resolve("runs"));
  }

  /** A run in which nodes hold a lease one after the other, or both for a moment. */
  private static String run(int number, boolean bothHold) {
    long start = 1_000_000L * (number + 1);
    String change = "{\"node\":\"%s\",\"log\":\"lease\",\"hlc\":\"%d.0\",\"set\":{\"holds\":%s}}\n";
    return change.formatted("a", start, "true")
        + (bothHold ? change.formatted("b", start + 5_000, "true") : "")
        + change.formatted("a", start + 10_000, "false")
        + (bothHold ? "" : change.formatted("b", start + 15_000, "true"))
        + change.formatted("b", start + 20_000, "false");
  }

  private void write(int from, int to, boolean bothHold) throws IOException {
    for (int i = from; i < to; i++) {
      Files.writeString(runs.resolve("run%02d.ndjson".formatted(i)), run(i, bothHold));
    }
  }

  private CommandRun check(String rules, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("rules.rql"), rules);
    String[] arguments = new String[4 + more.length];
    arguments[0] = "check";
    arguments[1] = file.toString();
    arguments[2] = "--runs";
    arguments[3] = runs.toString();
    System.arraycopy(more, 0, arguments, 4, more.length);
    return CommandRun.of(arguments);
  }

  private static final String ONE =
      "CREATE RULE one AS (NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease);\n";
  private static final String BOTH =
      "CREATE RULE both AS (SOMETIMES COUNT n IN NODES : (holds@n) >= 2 FROM lease);\n";

  @Test
  void check_runsOfWhichOneBreaksARule_namesTheRunAndItsCut() throws IOException {
    write(0, 3, false);
    write(3, 4, true);
    CommandRun run = check(ONE + BOTH);
    assertThat(run.exitCode()).as("%s", run).isEqualTo(1);
    assertThat(run.out())
        .contains("run00  holds         not yet\n")
        .contains("run03  broken        holds\n")
        .contains("broken        one (")
        .contains("episode one@4005000.0")
        .contains("runs: holds in 3, broken in 1")
        .contains("in run03\n")
        .contains("holds         both (")
        .contains("9 cuts: EXISTS n IN NODES : (holds@n)\n")
        .contains(
            "lease.holds: FALSE, TRUE; at two nodes: FALSE and FALSE, FALSE and TRUE, TRUE and"
                + " TRUE")
        .endsWith("4 runs\n2 rules: 1 holds, 1 broken\n");
  }

  /** Over one run SOMETIMES is open, over several without it broken. */
  @Test
  void check_sometimesThatNoRunFulfils_isBrokenByManyRunsAlone() throws IOException {
    write(0, 1, false);
    CommandRun one = check(BOTH, "--report", folder.resolve("one.xml").toString());
    assertThat(one.exitCode()).as("%s", one).isEqualTo(5);
    assertThat(one.out()).contains("not yet       both (").contains("another run may");
    assertThat(Files.readString(folder.resolve("one.xml")))
        .contains("skipped=\"1\"")
        .contains("<skipped message=\"not yet\"/>");

    write(1, 3, false);
    CommandRun many = check(BOTH);
    assertThat(many.exitCode()).isEqualTo(1);
    assertThat(many.out()).contains("broken        both (").contains("runs: not yet in 3");
  }

  /** The lost events may have fulfilled it, so that no run is known to break it. */
  @Test
  void check_sometimesThatLostEventsMayHaveFulfilled_isInconclusive() throws IOException {
    write(0, 3, false);
    Files.writeString(
        runs.resolve("run03.ndjson"),
        run(3, false)
            + """
            {"node":"a","log":"lease","hlc":"4050000.0","seq":1,"set":{"holds":true}}
            {"node":"a","log":"lease","hlc":"4060000.0","seq":4,"set":{"holds":false}}
            """);
    CommandRun run = check(BOTH);
    assertThat(run.exitCode()).as("%s", run).isEqualTo(5);
    assertThat(run.out()).contains("inconclusive  both", "1 rule: 1 inconclusive");
  }

  @Test
  void check_aRuleWhoseConditionIsNeverTrue_isVacuous_withThePart() throws IOException {
    write(0, 2, false);
    String rule = "CREATE RULE r AS (NEVER holds@a AND holds@b AND NOT holds@a FROM lease);";
    CommandRun run = check(rule, "--format", "json");
    assertThat(run.exitCode()).as("%s", run).isEqualTo(5);
    assertThat(run.out())
        .contains("\"verdict\":\"vacuous\"")
        .contains("TRUE at no cut: holds@a AND holds@b")
        .contains("{\"part\":\"holds@a\",\"unit\":\"cuts\",\"count\":");
    JsonNode all = JsonMapper.shared().readTree(run.out());
    assertThat(all.get("runs").asInt()).isEqualTo(2);
    assertThat(all.get("vacuous").asInt()).isEqualTo(1);
    assertThat(all.get("rules").get(0).get("inRuns").toString()).isEqualTo("{\"vacuous\":2}");
    assertThat(all.get("rules").get(0).get("decisiveRuns").size()).isEqualTo(2);
    assertThat(all.get("table").get(1).get("run").asString()).isEqualTo("run01");
    assertThat(all.get("slowest").size()).isEqualTo(2);
    String misspelt = "CREATE RULE r AS (NEVER COUNT n IN NODES : (hold@n) >= 2 FROM lease);";
    CommandRun unknown = check(misspelt);
    assertThat(unknown.exitCode()).as("%s", unknown).isEqualTo(5);
    assertThat(unknown.out()).contains("did you mean \"holds\"");
  }

  @Test
  void check_aRunThatCannotBeRead_isARowWithTheReason_andExitCode2() throws IOException {
    write(0, 2, false);
    Files.writeString(runs.resolve("zz.ndjson"), "no event\n");
    CommandRun run = check(ONE);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).contains("zz  not read: ").contains("not valid JSON").contains("holds");
    assertThat(run.err()).contains("1 of 3 runs could not be read");
  }

  @Test
  void check_withLabelsAndAPage_hasARowForEachRun() throws IOException {
    write(0, 2, false);
    Files.createDirectory(runs.resolve("two<files"));
    Files.writeString(runs.resolve("two<files/a.ndjson"), run(7, false));
    Files.writeString(runs.resolve("two<files/rules.rql"), "no events");
    Files.writeString(runs.resolve("run00.html"), "the page of the run");
    Path xml =
        Files.writeString(
            folder.resolve("junit.xml"),
            """
            <testsuite><testcase classname="" name="run00"/>
            <testcase name="run01()"><failure message="no"/></testcase></testsuite>
            """);
    Path page = folder.resolve("night.html");
    CommandRun run = check(ONE, "--label", "status=" + xml, "--html", page.toString());
    assertThat(run.exitCode()).as("%s", run).isZero();
    assertThat(run.out())
        .contains("run01      failed        holds")
        .contains("two<files  -             holds");
    assertThat(Files.readString(page))
        .contains("<td><a href=\"runs/run00.html\">run00</a></td>")
        .contains("<td>two&lt;files</td><td>-</td><td class=\"holds\"");
  }

  @Test
  void check_runsBesideOtherEvents_isRefused() throws IOException {
    write(0, 1, false);
    assertThat(check(ONE, "--live", "--for", "1s").exitCode()).isEqualTo(2);
    CommandRun none =
        CommandRun.of(
            "check",
            folder.resolve("rules.rql").toString(),
            "--runs",
            folder.resolve("no").toString());
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("there is no file or folder");
  }

  @Test
  void diff_failingAndPassing_namesTheCause_orNothing() throws IOException {
    write(0, 12, false);
    Path passing = runs;
    runs = Files.createDirectories(folder.resolve("failing"));
    write(12, 24, true);
    CommandRun run =
        CommandRun.of("diff", "--failing", runs.toString(), "--passing", passing.toString());
    assertThat(run.exitCode()).as("%s", run).isEqualTo(1);
    assertThat(run.out())
        .startsWith("12 failing and 12 passing runs; ")
        .contains(" 1. in 12 of 12 failing, in 0 of 12 passing")
        .contains("SOMETIMES COUNT n IN NODES : (holds@n) >= 2 FROM lease")
        .contains("such as run12 at 1970-01-01T00:00:13.005000Z (hlc'13005000.0')");

    runs = Files.createDirectories(folder.resolve("others"));
    write(24, 36, false);
    CommandRun nothing =
        CommandRun.of(
            "diff",
            "--failing",
            runs.toString(),
            "--passing",
            passing.toString(),
            "--format",
            "json");
    assertThat(nothing.exitCode()).as("%s", nothing).isZero();
    assertThat(nothing.out()).contains("\"distinctions\":[]");
  }

  @Test
  void diff_ofWrongRuns_isRefused() throws IOException {
    write(0, 2, false);
    assertThat(CommandRun.of("diff").exitCode()).isEqualTo(2);
    assertThat(CommandRun.of("diff", "--failing", runs.toString()).exitCode()).isEqualTo(2);
    CommandRun both =
        CommandRun.of("diff", "--failing", runs.toString(), "--passing", runs.toString());
    assertThat(both.exitCode()).isEqualTo(2);
    assertThat(both.err()).contains("is named as failing and as passing");
  }

  @Test
  void propose_writesRulesThatOtherRunsBreak() throws IOException {
    write(0, 6, false);
    Path to = folder.resolve("proposed.rql");
    CommandRun run = CommandRun.of("propose", runs.toString(), "--to", to.toString());
    assertThat(run.exitCode()).as("%s", run).isZero();
    assertThat(Files.readString(to))
        .contains("-- At most one node has holds = TRUE.")
        .contains("-- Held in 6 runs that have its situation; ")
        .contains("NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease");
    Path broken = Files.writeString(folder.resolve("broken.ndjson"), run(9, true));
    assertThat(CommandRun.of("check", to.toString(), broken.toString()).exitCode()).isEqualTo(1);
    assertThat(CommandRun.of("propose", runs.toString(), "--to", to.toString()).err())
        .contains("exists");

    Path few = Files.createDirectories(folder.resolve("few"));
    Files.writeString(few.resolve("a.ndjson"), run(0, false));
    assertThat(
            CommandRun.of("propose", few.toString(), "--to", folder.resolve("p").toString())
                .exitCode())
        .isEqualTo(2);
  }

  @Test
  void check_aRunThatIsNamedTwice_countsOnce() throws IOException {
    write(0, 3, false);
    CommandRun run =
        check(ONE, runs.resolve(".").toString(), runs.resolve("run01.ndjson").toString());
    assertThat(run.out()).as("%s", run).endsWith("3 runs\n1 rule: 1 holds\n");
    CommandRun both =
        CommandRun.of("diff", "--failing", runs.toString(), "--passing", runs + "/./run02.ndjson");
    assertThat(both.err()).contains("is named as failing and as passing");
  }

  @Test
  void propose_namesWithNewLines_stayInTheComments() throws IOException {
    for (int i = 0; i < 6; i++) {
      Files.writeString(
          runs.resolve("run%02d.ndjson".formatted(i)),
          run(i, false).replace("\"holds\"", "\"a\\nCREATE RULE\""));
    }
    Path to = folder.resolve("proposed.rql");
    CommandRun run = CommandRun.of("propose", runs.toString(), "--to", to.toString());
    assertThat(run.exitCode()).as("%s", run).isZero();
    assertThat(Files.readString(to)).contains("-- At most one node has a\\nCREATE RULE = TRUE.");
  }

  @Test
  void check_moreValuesThanAreFollowed_saysSo() throws IOException {
    StringBuilder many = new StringBuilder(run(0, false).replace("lease", "before"));
    StringBuilder rules = new StringBuilder();
    String change =
        "{\"node\":\"a\",\"log\":\"lease\",\"hlc\":\"%d.0\",\"set\":{\"v%d\":\"x%d\"}}\n";
    for (int i = 0; i < 162; i++) {
      many.append(change.formatted(2_000_000 + i, i / 8, i % 8));
    }
    for (int i = 0; i <= 20; i++) {
      rules.append("CREATE RULE r%1$d AS (NEVER v%1$d@a = 'no' FROM lease);\n".formatted(i));
    }
    Files.writeString(runs.resolve("many.ndjson"), many);
    CommandRun run = check(rules.toString());
    assertThat(run.out())
        .as("%s", run)
        .contains("lease.v19: 'x0'")
        .contains("lease.v20: not followed, because the variables of a run have more than 160");
  }

  @Test
  void diff_ofTooFewRuns_orWithLostEvents_isInconclusive() throws IOException {
    write(0, 3, false);
    Path passing = runs;
    runs = Files.createDirectories(folder.resolve("failing"));
    write(12, 15, true);
    CommandRun few =
        CommandRun.of("diff", "--failing", runs.toString(), "--passing", passing.toString());
    assertThat(few.exitCode()).as("%s", few).isEqualTo(5);
    assertThat(few.out()).contains("too few runs: no predicate could distinguish them");

    write(15, 24, false);
    Files.delete(runs.resolve("run12.ndjson"));
    Files.delete(runs.resolve("run13.ndjson"));
    Files.delete(runs.resolve("run14.ndjson"));
    Path others = runs;
    runs = passing;
    write(3, 12, false);
    Files.writeString(
        runs.resolve("run03.ndjson"),
        """
        {"node":"a","log":"lease","hlc":"4000000.0","seq":1,"set":{"holds":true}}
        {"node":"a","log":"lease","hlc":"4010000.0","seq":4,"set":{"holds":false}}
        """);
    CommandRun lossy =
        CommandRun.of("diff", "--failing", others.toString(), "--passing", passing.toString());
    assertThat(lossy.exitCode()).as("%s", lossy).isEqualTo(5);
    assertThat(lossy.out())
        .contains("events of 1 run are lost\n", "nothing distinguishes them beyond chance");
  }
}
