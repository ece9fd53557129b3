// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import io.retroscope.server.align.AlignmentSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The accuracy of a log server's alignment of clocks that drift and step: real events of simulated
 * nodes pass through the whole alignment, and every second its answers are compared with the truth.
 *
 * @param runs of each setting, 1 or more
 * @param seed the start of the random numbers; the same seed gives the same figures
 * @param threads the number of threads that share the runs, 1 or more; it affects only the duration
 */
public record DriftExperiment(int runs, long seed, int threads) {
  /** A run takes some hundredths of a second, so small chunks balance the load. */
  private static final int CHUNK_RUNS = 5;

  /** Clocks and messages, and the log server's assumptions about them. */
  public record Case(DriftModel model, AlignmentSettings settings) {}

  /** One method in one case. */
  public record Finding(Case where, DriftMethod method, DriftSummary summary) {
    /** The name of the method in tables. */
    public String column() {
      AlignmentSettings settings = where.settings();
      return method.column(settings.rhoPpm(), settings.minimumDelayMicros() > 0);
    }
  }

  /** Checks the ranges. */
  public DriftExperiment {
    if (runs < 1 || threads < 1) {
      throw new IllegalArgumentException("runs and threads must be 1 or more");
    }
  }

  /**
   * Measures each case. Cases that differ only in the step or the settings have the same clocks and
   * messages.
   *
   * @return by case and method, in the given order
   * @throws InterruptedException if the caller was interrupted
   */
  public List<Finding> measure(List<Case> cases, Progress progress) throws InterruptedException {
    RunPool pool = new RunPool(threads, progress, (long) runs * cases.size());
    List<Finding> findings = new ArrayList<>();
    for (Case where : cases) {
      Map<DriftMethod, DriftSummary> summaries = summaries(where.model());
      pool.run(
          runs,
          CHUNK_RUNS,
          (first, end) -> chunk(where, first, end),
          part -> part.forEach((method, summary) -> of(summaries, method).add(summary)));
      summaries.forEach((method, all) -> findings.add(new Finding(where, method, all)));
    }
    return findings;
  }

  private Map<DriftMethod, DriftSummary> chunk(Case where, int first, int end) {
    Map<DriftMethod, DriftSummary> summaries = summaries(where.model());
    for (int number = first; number < end; number++) {
      DriftRun run =
          new DriftRun(where.model(), where.settings(), where.model().random(seed, number));
      run.run();
      summaries.values().forEach(summary -> summary.add(run));
    }
    return summaries;
  }

  private static Map<DriftMethod, DriftSummary> summaries(DriftModel model) {
    Map<DriftMethod, DriftSummary> summaries = new EnumMap<>(DriftMethod.class);
    for (DriftMethod method : DriftMethod.values()) {
      summaries.put(method, new DriftSummary(model, method));
    }
    return summaries;
  }

  private static DriftSummary of(Map<DriftMethod, DriftSummary> summaries, DriftMethod method) {
    return Objects.requireNonNull(summaries.get(method));
  }
}
