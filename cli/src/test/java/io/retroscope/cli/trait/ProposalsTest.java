// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.cli.runs.RunsCheck;
import io.retroscope.cli.trait.SimulatedService.Bug;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A test of the rules that runs suggest. */
class ProposalsTest {
  private static final long SEED = Long.getLong("seed", 49);
  private static final Path INVARIANTS = Path.of("..", "examples", "invariants");
  private static final Pattern HLC = Pattern.compile("\"hlc\":\"(\\d+)\\.(\\d+)\"");
  private static final Pattern NUMBER = Pattern.compile(":(\\d+)(?=[,}])");
  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]*)\"");

  /** The last holders of the leases release them before the log repeats. */
  private static final String RELEASE =
      "{\"node\":\"b\",\"log\":\"lease\",\"hlc\":\"%d.0\",\"set\":{\"lease_eu\":false,\"lease_us\":false}}";

  private static final long RELEASED_MICROS = 1_795_200_001_000_000L;

  @TempDir private Path folder = Path.of("");

  /** A proposal recovers an invariant if the log that breaks the invariant breaks it. */
  @Test
  @Tag("slow")
  void rules_ofRunsThatKeepTheInvariants_areBrokenByTheLogsThatBreakThem() throws Exception {
    Set<String> recovered = new TreeSet<>();
    for (String name : names()) {
      Path runs = Files.createDirectory(folder.resolve(name));
      for (int run = 0; run < 6; run++) {
        Files.write(runs.resolve("run" + run + ".ndjson"), repeated(name, 3 + run % 3));
      }
      String rules = propose(runs);
      List<RuleResult> verdicts = check(rules, INVARIANTS.resolve(name + "-breaks.ndjson"));
      if (verdicts.stream().anyMatch(one -> one.outcome() == Outcome.BROKEN)) {
        recovered.add(name);
      }
    }
    assertThat(recovered).hasSizeGreaterThanOrEqualTo(9);
  }

  private static Set<String> names() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(INVARIANTS)) {
      files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(file -> file.endsWith(".rql"))
          .forEach(file -> names.add(file.replace(".rql", "")));
    }
    return names;
  }

  /** The log that keeps an invariant several times, later and with greater numbers each time. */
  private static List<String> repeated(String name, int times) throws IOException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      int more = i;
      for (String line : Files.readAllLines(INVARIANTS.resolve(name + "-keeps.ndjson"))) {
        String later =
            HLC.matcher(line)
                .replaceAll(
                    found ->
                        "\"hlc\":\"%d.%s\""
                            .formatted(
                                Long.parseLong(found.group(1)) + more * 20_000_000L,
                                found.group(2)));
        String greater =
            NUMBER
                .matcher(later)
                .replaceAll(found -> ":" + (Long.parseLong(found.group(1)) + more * 100L));
        lines.add(
            ID.matcher(greater)
                .replaceAll(found -> "\"id\":\"" + found.group(1) + "-" + more + "\""));
      }
      if (name.equals("lease-held-once")) {
        lines.add(RELEASE.formatted(RELEASED_MICROS + i * 20_000_000L));
      }
    }
    return lines;
  }

  @Test
  @Tag("slow")
  void rules_ofRunsWithoutBugs_holdInOthers_andBugsBreakThem() throws Exception {
    Path good = Files.createDirectory(folder.resolve("good"));
    for (int run = 0; run < 12; run++) {
      write(good.resolve("run" + run + ".ndjson"), run, EnumSet.noneOf(Bug.class));
    }
    String rules = propose(good);
    int held = 0;
    int all = 0;
    for (int run = 100; run < 106; run++) {
      Path fresh = folder.resolve("fresh.ndjson");
      write(fresh, run, EnumSet.noneOf(Bug.class));
      for (RuleResult result : check(rules, fresh)) {
        all++;
        held += result.outcome() == Outcome.BROKEN ? 0 : 1;
      }
    }
    Set<Bug> found = EnumSet.noneOf(Bug.class);
    int number = 200;
    for (Bug bug : Bug.values()) {
      Path run = folder.resolve("bug.ndjson");
      write(run, number++, EnumSet.of(bug));
      if (check(rules, run).stream().anyMatch(one -> one.outcome() == Outcome.BROKEN)) {
        found.add(bug);
      }
    }
    System.out.println(held + " of " + all + "; " + found + rules);
    assertThat(all).isGreaterThan(60);
    assertThat(held)
        .as("seed %d of %d", SEED, all)
        .isGreaterThanOrEqualTo((int) Math.ceil(0.95 * all));
    assertThat(found).as("seed %d", SEED).hasSizeGreaterThanOrEqualTo(9);
  }

  private static void write(Path file, int run, Set<Bug> bugs) throws IOException {
    try (Writer out = Files.newBufferedWriter(file)) {
      NdjsonWriter events = new NdjsonWriter(out);
      new SimulatedService(
              new Random(SEED * 31 + run),
              2_500,
              bugs,
              event -> {
                try {
                  events.event(event);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              })
          .run();
    }
  }

  private static String propose(Path runs) throws Exception {
    RunsCheck.Opening opening = run -> new RunsCheck.Opened(open(run.path()), "");
    return ProposedRules.of(
            RecordedRun.in(List.of(runs)),
            new TraitReader(InputSettings.DEFAULT),
            opening,
            new RunPool(2))
        .text();
  }

  private static LocalSession open(Path file) throws IOException {
    return EventFileSet.of(file, events -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT);
  }

  private static List<RuleResult> check(String rules, Path run) throws IOException {
    RuleSet set = new RuleSet();
    set.add("proposed.rql", rules);
    assertThat(set.faults()).isEmpty();
    try (LocalSession session = open(run)) {
      return new RuleCheck(session, "", () -> 0).check(set.rules()).results();
    }
  }
}
