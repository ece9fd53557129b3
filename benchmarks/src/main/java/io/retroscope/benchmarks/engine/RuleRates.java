// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.recordings.file.SealedConversion;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A comparison of rules that are checked together with the same rules checked one by one, in CPU
 * time of one thread over a file of sealed blocks: rules over one variable, and over a variable
 * each.
 */
public final class RuleRates {
  private static final int SEED = 7;
  private static final int NODES = 3;
  private static final long START_MICROS = 1_795_200_000_000_000L;

  /** One event in this number begins a stretch in which a node lags. */
  private static final int EVENTS_PER_LAG = 30_000;

  private static final int MAX_LAG = 60;
  private static final int MAX_NUMBER = 1_000;

  private final int events;
  private final int rounds;
  private final int ruleCount;
  private final int leastSpread;

  private RuleRates(int events, int rounds, int ruleCount, int leastSpread) {
    this.leastSpread = leastSpread;
    this.events = events;
    this.rounds = rounds;
    this.ruleCount = ruleCount;
  }

  /**
   * Takes the number of events in thousands, of rounds, and of rules, and the least spread that the
   * rules over one variable forbid, each the next greater one.
   */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "thousands of events, rounds, rules, least spread");
    RuleRates rates =
        new RuleRates(1_000 * given.number(0), given.number(1), given.number(2), given.number(3));
    try (ScratchFolder scratch = ScratchFolder.create("rules")) {
      Path folder = scratch.path();
      rates.compare("one variable", folder.resolve("one.rtsf"), true);
      rates.compare("a variable each", folder.resolve("many.rtsf"), false);
    }
  }

  private void compare(String what, Path file, boolean isOne) throws IOException {
    write(file, isOne);
    try (SealedFileSource source = SealedFileSource.open(file, all -> ClockOffsets.UNKNOWN)) {
      QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
      List<ParsedStatement> rules = new ArrayList<>();
      for (int i = 0; i < ruleCount; i++) {
        rules.add(
            new RqlParser()
                .read(
                    isOne
                        ? "NEVER SPREAD(r1) > %d FROM t;".formatted(leastSpread + i)
                        : "NEVER SPREAD(v%d) > %d FROM t;".formatted(i, MAX_NUMBER - 3)));
      }
      double[] sums = new double[rounds];
      double[] together = new double[rounds];
      List<String> cost = List.of();
      for (int round = 0; round < rounds; round++) {
        List<Verdict> alone = new ArrayList<>();
        for (ParsedStatement rule : rules) {
          Verdict verdict = new Verdict();
          sums[round] += seconds(() -> engine.run(engine.prepare(rule), verdict));
          alone.add(verdict);
        }
        List<RowSink> shared = new ArrayList<>();
        rules.forEach(rule -> shared.add(new Verdict()));
        SharedAnswers[] answers = new SharedAnswers[1];
        together[round] = seconds(() -> answers[0] = engine.runTogether(rules, shared));
        cost = answers[0].cost();
        if (!shared.toString().equals(alone.toString())) {
          throw new AssertionError("together " + shared + ", alone " + alone);
        }
      }
      double sum = new Samples(sums).median();
      double all = new Samples(together).median();
      System.out.printf(
          Locale.ROOT,
          "%d rules over %s, %,d events: alone %.3f s each, %.2f s in sum; together %.2f s: %.2f"
              + " times one rule, %.3f times the sum%n",
          ruleCount,
          what,
          events,
          sum / ruleCount,
          sum,
          all,
          all / (sum / ruleCount),
          all / sum);
      cost.stream().filter(line -> line.startsWith("blocks")).forEach(System.out::println);
    }
  }

  private static double seconds(Runnable work) {
    long began = CpuTime.ofThread();
    work.run();
    return (CpuTime.ofThread() - began) / 1e9;
  }

  /** Writes versions of nodes that sometimes lag, or numbers of as many variables as rules. */
  private void write(Path file, boolean isOne) throws IOException {
    Random random = new Random(SEED);
    long[] lagUntil = new long[NODES];
    try (SealedConversion conversion = new SealedConversion(file)) {
      for (int i = 0; i < events; i++) {
        int node = i % NODES;
        if (random.nextInt(EVENTS_PER_LAG) == 0) {
          lagUntil[node] = i + 1L + random.nextInt(NODES * MAX_LAG);
        }
        String variable = isOne ? "r1" : "v" + random.nextInt(ruleCount);
        if (!isOne || lagUntil[node] <= i) {
          long number = isOne ? i / NODES : random.nextInt(MAX_NUMBER);
          conversion.event(event(i, node, variable, number));
        } else {
          conversion.event(event(i, node, "other", i));
        }
      }
      conversion.finish();
    }
  }

  private static Event event(int i, int node, String variable, long number) {
    Change set = new Change(Operation.SET, variable, Value.of(number));
    return new Event(
        "zk" + node,
        "t",
        HlcTimestamp.pack(START_MICROS + 7L * i),
        new EventBody.StateChange(List.of(set)));
  }

  /** The verdict on a rule. */
  private static final class Verdict implements RowSink {
    private String text = "";

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      text = row.values().toString();
      return true;
    }

    @Override
    public void warning(String message) {
      text += message;
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
