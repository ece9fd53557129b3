package io.retroscope.server.align.simulation;

import io.retroscope.server.align.AlignmentSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How well clocks that drift and step are lined up by a log server: real events of simulated nodes
 * go through the whole of its alignment, and every second its answers are held against the truth.
 *
 * @param runs of each setting, 1 or more
 * @param seed what the random numbers start from; the same seed gives the same figures
 * @param threads that share the runs, 1 or more; they change nothing but the time it takes
 */
public record DriftExperiment(int runs, long seed, int threads) {
  /** A run takes some hundredths of a second, so few make a fair share. */
  private static final int CHUNK_RUNS = 5;

  /** Clocks and messages, and what the log server assumes of them. */
  public record Case(DriftModel model, AlignmentSettings settings) {}

  /** One method in one case. */
  public record Finding(Case where, DriftMethod method, DriftSummary summary) {
    /** What the method is called in tables. */
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
   * @return by case and method, as given
   * @throws InterruptedException if the caller was
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
