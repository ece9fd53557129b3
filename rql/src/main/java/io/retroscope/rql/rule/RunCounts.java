// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The numbers of episodes that rules would have with other FOR clauses, found in one walk. */
public final class RunCounts {
  /** The most warnings of a rule. */
  public static final int MAX_WARNINGS = 20;

  private static final long[] STEPS = {1, 2, 5};

  private RunCounts() {}

  /**
   * The numbers for one rule.
   *
   * @param episodes for each FOR, in the order of the durations; empty if the rule has no runs to
   *     count, as with THEN or EVENTUALLY
   * @param warnings what the answer lacks, at most {@link #MAX_WARNINGS}
   * @param failure the error of the rule
   */
  public record Counts(
      Rule rule, List<Long> episodes, List<String> warnings, Optional<RqlException> failure) {
    /** Copies the lists. */
    public Counts {
      episodes = List.copyOf(episodes);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Returns the durations from one to another in steps of 1, 2, 5, 10 and so on, with both ends.
   *
   * @param fromMicros at least 1
   * @param untilMicros not below it
   */
  public static List<Long> steps(long fromMicros, long untilMicros) {
    List<Long> steps = new ArrayList<>();
    steps.add(fromMicros);
    long power = 1;
    while (power < untilMicros) {
      for (long step : STEPS) {
        if (step * power > fromMicros && step * power < untilMicros) {
          steps.add(step * power);
        }
      }
      power = power <= Long.MAX_VALUE / 10 ? 10 * power : untilMicros;
    }
    if (untilMicros > fromMicros) {
      steps.add(untilMicros);
    }
    return steps;
  }

  /**
   * Counts the runs of rules that last at least as long as each of some durations.
   *
   * @param onTime a clause ON TIME for rules that have none; may be empty
   * @throws IOException if the server cannot be reached, or its answer was incomplete
   */
  public static List<Counts> of(Session session, List<Rule> rules, String onTime, List<Long> micros)
      throws IOException {
    RqlParser parser = new RqlParser();
    List<Session.Task> tasks = new ArrayList<>();
    List<Counter> counters = new ArrayList<>();
    for (Rule rule : rules) {
      Counter counter = new Counter(micros);
      counters.add(counter);
      rule.runs(onTime).ifPresent(runs -> tasks.add(new Session.Task(parser.read(runs), counter)));
    }
    SharedAnswers answers = session.runTogether(tasks);
    List<Counts> counts = new ArrayList<>();
    int task = 0;
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      boolean hasRuns = rule.runs(onTime).isPresent();
      counts.add(
          new Counts(
              rule,
              hasRuns ? counters.get(i).counts() : List.of(),
              List.copyOf(counters.get(i).warnings),
              hasRuns ? answers.failures().get(task++) : Optional.empty()));
    }
    return counts;
  }

  private static final class Counter implements RowSink {
    private final List<Long> micros;
    private final long[] counts;
    private final Set<String> warnings = new LinkedHashSet<>();
    private int hlcColumn = -1;
    private int endColumn = -1;

    Counter(List<Long> micros) {
      this.micros = micros;
      this.counts = new long[micros.size()];
    }

    List<Long> counts() {
      List<Long> all = new ArrayList<>();
      for (long count : counts) {
        all.add(count);
      }
      return all;
    }

    @Override
    public void columns(List<Column> columns) {
      for (int i = 0; i < columns.size(); i++) {
        if (columns.get(i).automatic()) {
          hlcColumn = columns.get(i).name().equals("hlc") ? i : hlcColumn;
          endColumn = columns.get(i).name().equals("endHlc") ? i : endColumn;
        }
      }
    }

    @Override
    public boolean row(Row row) {
      Value start = row.values().get(hlcColumn);
      Value end = row.values().get(endColumn);
      if (start instanceof TimestampValue from && end instanceof TimestampValue to) {
        for (int i = 0; i < counts.length; i++) {
          counts[i] += after(from.packed(), micros.get(i)) <= to.packed() ? 1 : 0;
        }
      }
      return true;
    }

    /** The instant at which a run has lasted so long, as FOR has it. */
    private static long after(long hlc, long lasted) {
      return HlcTimestamp.pack(
          HlcTimestamp.micros(hlc)
              + Math.min(HlcTimestamp.MAX_MICROS - HlcTimestamp.micros(hlc), lasted),
          HlcTimestamp.logical(hlc));
    }

    @Override
    public void warning(String message) {
      if (warnings.size() < MAX_WARNINGS) {
        warnings.add(message);
      }
    }
  }
}
