// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.examples.simulate.clocks.AlignmentExperiment.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AlignmentExperimentTest {
  private static final long SEED = 20_261_121;
  private static final int THREADS = 2;

  /**
   * The distance in standard errors that two means of one quantity never reach, among some
   * hundreds.
   */
  private static final double MOST_ERRORS = 5;

  private static final List<Metric> ESTIMATES =
      List.of(
          Metric.ERR_DRIVER,
          Metric.ERR_PAIRS_SIGNED,
          Metric.ERR_PAIRS_ABS,
          Metric.ERR_EXTREME,
          Metric.MAE_TICKS);

  private static RigidModel model(double communication) {
    return new RigidModel(5, 50, 3, 10, 0.4, communication, 0);
  }

  private static RigidModel latency(int skew, int ticks) {
    return new RigidModel(5, skew, ticks, ticks, 0.4, 0.2, 0);
  }

  private static List<Point> measure(
      int runs, int threads, List<RigidModel> models, List<Integer> lengths)
      throws InterruptedException {
    return new AlignmentExperiment(runs, SEED, threads).measure(models, lengths, Progress.NONE);
  }

  @Test
  void measure_byLength_agreesWithTheReferenceWithinBothSamplingErrors() throws Exception {
    checkByLength(200);
  }

  @Test
  @Tag("slow")
  void measure_byLengthInManyRuns_agreesWithTheReferenceWithinBothSamplingErrors()
      throws Exception {
    checkByLength(500);
  }

  private static void checkByLength(int runs) throws Exception {
    List<RigidModel> models = List.of(model(0.01), model(0.1), model(0.5), model(1));
    List<Point> points = measure(runs, THREADS, models, List.of(20, 100, 400, 2_000));
    ReferenceTable reference = new ReferenceTable("fig1.csv");
    List<Double> distances = new ArrayList<>();
    for (Point point : points) {
      if (point.method() != AlignmentMethod.TWO_D0_LS) {
        Map<String, String> row =
            reference.row(
                "comm_prob",
                Double.toString(point.model().communicationProbability()),
                "length",
                Integer.toString(point.length()),
                "method",
                point.method().column());
        ESTIMATES.forEach(metric -> distances.add(distance(point, metric, row)));
      }
    }
    assertThat(distances).hasSize(4 * 4 * 3 * ESTIMATES.size());
    double squares = distances.stream().mapToDouble(z -> z * z).average().orElseThrow();
    // The mean square of independent normal distances is 1; the metrics of one run are correlated.
    assertThat(squares).as("mean square of the distances in standard errors").isLessThan(2);
  }

  /** The distance of the two means in standard errors. */
  private static double distance(Point point, Metric metric, Map<String, String> row) {
    double reference = ReferenceTable.number(row, metric.column());
    double referenceError = ReferenceTable.number(row, metric.column() + "_se");
    double referenceRuns = ReferenceTable.number(row, "runs");
    ErrorSummary found = point.summary();
    // A rare error may not occur in a few runs, so the reference's estimate of its variance is
    // better.
    double expectedError = referenceError * Math.sqrt(referenceRuns / found.runs());
    double error = Math.max(found.standardError(metric), expectedError);
    double both = Math.hypot(error, referenceError) + 1e-6;
    assertThat(found.mean(metric))
        .as("%s of %s, seed %d", metric, point, SEED)
        .isCloseTo(reference, within(MOST_ERRORS * both));
    return (found.mean(metric) - reference) / both;
  }

  @Test
  void measure_byLength_hasTheReferencesWidthsAndIsSoundInEveryRun() throws Exception {
    List<Point> points =
        measure(400, THREADS, List.of(model(0.1), model(1)), List.of(20, 100, 400));
    ReferenceTable reference = new ReferenceTable("fig1.csv");
    for (Point point : points) {
      if (!point.method().isTwoSided()) {
        continue;
      }
      ErrorSummary found = point.summary();
      assertThat(found.mean(Metric.SOUND)).as("%s, seed %d", point, SEED).isEqualTo(1);
      if (point.method() != AlignmentMethod.TWO_D0_LS) {
        Map<String, String> row =
            reference.row(
                "comm_prob",
                Double.toString(point.model().communicationProbability()),
                "length",
                Integer.toString(point.length()),
                "method",
                point.method().column());
        double width = ReferenceTable.number(row, "width");
        double bounded = ReferenceTable.number(row, "bounded");
        double widthError = found.standardError(Metric.WIDTH) + 1e-4;
        double boundedError = Math.sqrt(bounded * (1 - bounded) / found.runs()) + 1e-4;
        assertThat(found.mean(Metric.WIDTH))
            .as("width of %s, seed %d", point, SEED)
            .isCloseTo(width, within(MOST_ERRORS * widthError));
        assertThat(found.mean(Metric.BOUNDED))
            .as("bounded of %s, seed %d", point, SEED)
            .isCloseTo(bounded, within(MOST_ERRORS * boundedError));
      }
    }
  }

  @Test
  void measure_byLatency_oneSidedMissesTheLatencyAndTwoSidedDoesNot() throws Exception {
    List<RigidModel> models = new ArrayList<>();
    for (int skew : new int[] {10, 20, 50}) {
      for (int ticks : new int[] {0, 6, 20, 40, 60}) {
        models.add(latency(skew, ticks));
      }
    }
    ReferenceTable reference = new ReferenceTable("fig2.csv");
    for (Point point : measure(100, THREADS, models, List.of(1_000))) {
      RigidModel model = point.model();
      double extreme = Math.min(1, (double) model.minDelay() / model.skew());
      boolean oneSided = point.method() == AlignmentMethod.ONE_HLC;
      assertThat(point.summary().mean(Metric.ERR_EXTREME))
          .as("%s, seed %d", point, SEED)
          .isCloseTo(oneSided ? extreme : 0, within(1e-9));
      if (point.method() == AlignmentMethod.TWO_D0) {
        assertThat(point.summary().mean(Metric.WIDTH)).isEqualTo(2.0 * model.minDelay());
      }
      if (oneSided || point.method() == AlignmentMethod.TWO_D0) {
        Map<String, String> row =
            reference.row(
                "skew",
                Integer.toString(model.skew()),
                "latency",
                Integer.toString(model.minDelay()),
                "method",
                point.method().column());
        ESTIMATES.forEach(metric -> distance(point, metric, row));
      }
    }
  }

  @Test
  void measure_oneTimeline_errsLessThanTheMiddles() throws Exception {
    List<Point> points = measure(500, THREADS, List.of(model(0.5)), List.of(100));
    assertThat(mae(points, AlignmentMethod.TWO_D0_LS))
        .isLessThan(0.8 * mae(points, AlignmentMethod.TWO_D0));
  }

  @Test
  void measure_ratesThatDiffer_areAllowedForAndLeaveTheTruthInside() throws Exception {
    RigidModel model = new RigidModel(5, 50, 3, 10, 0.4, 0.5, 5_000);
    for (Point point : measure(100, THREADS, List.of(model), List.of(100, 1_000))) {
      if (point.method().isTwoSided()) {
        assertThat(point.summary().mean(Metric.SOUND)).as("%s, seed %d", point, SEED).isEqualTo(1);
        assertThat(point.summary().mean(Metric.WIDTH)).isGreaterThan(0);
      }
    }
  }

  @Test
  void measure_anyNumberOfThreads_givesTheSameFigures() throws Exception {
    List<RigidModel> models = List.of(model(0.2));
    assertThat(figures(measure(250, 1, models, List.of(50, 100))))
        .isEqualTo(figures(measure(250, 4, models, List.of(50, 100))));
  }

  @Test
  void measure_besideOtherLengthsAndModels_givesTheSameFigures() throws Exception {
    List<Point> alone = measure(120, THREADS, List.of(model(0.2)), List.of(50));
    List<Point> among =
        measure(120, THREADS, List.of(model(0.7), model(0.2)), List.of(20, 50, 100)).stream()
            .filter(p -> p.length() == 50 && p.model().equals(model(0.2)))
            .toList();
    assertThat(figures(among)).isEqualTo(figures(alone));
  }

  @Test
  void measure_otherSeed_givesOtherFigures() throws Exception {
    List<RigidModel> models = List.of(model(0.2));
    List<Point> other =
        new AlignmentExperiment(50, SEED + 1, 1).measure(models, List.of(50), Progress.NONE);
    assertThat(figures(other)).isNotEqualTo(figures(measure(50, 1, models, List.of(50))));
  }

  @Test
  void measure_progress_endsWithAllRuns() throws Exception {
    List<Long> done = new ArrayList<>();
    var unused =
        new AlignmentExperiment(130, SEED, THREADS)
            .measure(
                List.of(model(0.2), model(1)),
                List.of(10),
                (runs, total) -> {
                  assertThat(total).isEqualTo(260);
                  done.add(runs);
                });
    assertThat(done).isSorted().endsWith(260L);
  }

  @Test
  void rigidModel_outOfRange_namesTheValue() {
    assertThatThrownBy(() -> new RigidModel(5, 50, 11, 10, 0.4, 0.5, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minimum delay must lie in 0 to 10: 11");
    assertThatThrownBy(() -> model(1.5)).hasMessageContaining("communication probability");
  }

  private static double mae(List<Point> points, AlignmentMethod method) {
    return points.stream()
        .filter(p -> p.method() == method)
        .findFirst()
        .orElseThrow()
        .summary()
        .mean(Metric.MAE_TICKS);
  }

  private static List<String> figures(List<Point> points) {
    List<String> figures = new ArrayList<>();
    for (Point point : points) {
      for (Metric metric : Metric.values()) {
        ErrorSummary found = point.summary();
        figures.add(
            point.length()
                + " "
                + point.method()
                + " "
                + metric
                + " "
                + found.mean(metric)
                + " "
                + found.standardError(metric));
      }
    }
    return figures;
  }
}
