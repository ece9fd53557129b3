package io.retroscope.server.align.simulation;

import io.retroscope.server.align.AlignmentSettings;
import java.util.ArrayList;
import java.util.List;

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
      List<List<DriftSummary>> chunks =
          pool.run(runs, CHUNK_RUNS, (first, end) -> chunk(where, first, end));
      int place = 0;
      for (DriftMethod method : DriftMethod.values()) {
        DriftSummary all = new DriftSummary(where.model(), method);
        for (List<DriftSummary> chunk : chunks) {
          all.add(chunk.get(place));
        }
        findings.add(new Finding(where, method, all));
        place++;
      }
    }
    return findings;
  }

  private List<DriftSummary> chunk(Case where, int first, int end) {
    List<DriftSummary> summaries = new ArrayList<>();
    for (DriftMethod method : DriftMethod.values()) {
      summaries.add(new DriftSummary(where.model(), method));
    }
    for (int number = first; number < end; number++) {
      DriftModel model = where.model();
      DriftRun run = new DriftRun(model, where.settings(), model.random(seed, number));
      run.run();
      summaries.forEach(summary -> summary.add(run));
    }
    return summaries;
  }
}
