// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import java.util.ArrayList;
import java.util.List;

/**
 * The published experiment: the accuracy of offsets that are derived from events alone, by the
 * length of the log and by the latency of the messages. Every figure comes from the estimator
 * itself.
 *
 * @param runs of each point, 1 or more
 * @param seed the start of the random numbers; the same seed gives the same figures
 * @param threads the number of threads that share the runs, 1 or more; it affects only the duration
 */
public record AlignmentExperiment(int runs, long seed, int threads) {
  private static final int CHUNK_RUNS = 100;

  /** One method in one setting. */
  public record Point(RigidModel model, int length, AlignmentMethod method, ErrorSummary summary) {}

  /** Checks the ranges. */
  public AlignmentExperiment {
    if (runs < 1 || threads < 1) {
      throw new IllegalArgumentException("runs and threads must be 1 or more");
    }
  }

  /**
   * Measures each model at each length; one run of the longest serves all lengths.
   *
   * @param lengths in ticks, each 1 or more
   * @return by model, length and method, in the given order
   * @throws InterruptedException if the caller was interrupted
   */
  public List<Point> measure(List<RigidModel> models, List<Integer> lengths, Progress progress)
      throws InterruptedException {
    List<Integer> ordered = lengths.stream().distinct().sorted().toList();
    if (ordered.isEmpty() || ordered.get(0) < 1) {
      throw new IllegalArgumentException("lengths must be 1 or more: " + lengths);
    }
    RunPool pool = new RunPool(threads, progress, (long) runs * models.size());
    List<Point> points = new ArrayList<>();
    for (RigidModel model : models) {
      List<ErrorSummary> summaries = summaries(ordered);
      pool.run(
          runs,
          CHUNK_RUNS,
          (first, end) -> chunk(model, ordered, first, end),
          part -> addAll(part, summaries));
      int place = 0;
      for (int length : ordered) {
        for (AlignmentMethod method : AlignmentMethod.values()) {
          points.add(new Point(model, length, method, summaries.get(place)));
          place++;
        }
      }
    }
    return points;
  }

  private List<ErrorSummary> chunk(RigidModel model, List<Integer> lengths, int first, int end) {
    List<ErrorSummary> summaries = summaries(lengths);
    for (int number = first; number < end; number++) {
      RigidRun run = new RigidRun(model, model.random(seed, number));
      int place = 0;
      for (int length : lengths) {
        run.runUntil(length);
        for (Guess guess : AlignmentMethod.guesses(run).values()) {
          summaries.get(place).add(run, guess);
          place++;
        }
      }
    }
    return summaries;
  }

  /** One for each length and method, in this order. */
  private static List<ErrorSummary> summaries(List<Integer> lengths) {
    List<ErrorSummary> summaries = new ArrayList<>();
    for (int i = 0; i < lengths.size() * AlignmentMethod.values().length; i++) {
      summaries.add(new ErrorSummary());
    }
    return summaries;
  }

  private static void addAll(List<ErrorSummary> part, List<ErrorSummary> into) {
    for (int i = 0; i < part.size(); i++) {
      into.get(i).add(part.get(i));
    }
  }
}
