// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.examples.simulate.clocks.DriftExperiment.Case;
import io.retroscope.examples.simulate.clocks.DriftExperiment.Finding;
import io.retroscope.server.align.AlignmentSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class DriftExperimentTest {
  private static final long SEED = 20_261_121;
  private static final int THREADS = 2;

  /** The largest ratio of the error and the width to the reference's. */
  private static final double MOST_RATIO = 1.03;

  private static final List<DelayModel> DELAYS =
      List.of(DelayModel.parse("U3_10"), DelayModel.parse("3+Exp4"), DelayModel.LAN);

  private static List<Finding> measure(int runs, double... stepMillis) throws InterruptedException {
    List<Case> cases = new ArrayList<>();
    for (DelayModel delay : DELAYS) {
      for (double step : stepMillis) {
        cases.add(
            new Case(
                new DriftModel(delay, 50, step, 600), AlignmentSettings.DEFAULT.withRhoPpm(100)));
      }
    }
    return new DriftExperiment(runs, SEED, THREADS).measure(cases, Progress.NONE);
  }

  @Test
  void measure_noStep_isAlwaysSoundAndAsCloseAsTheReference() throws Exception {
    checkAgainstReference(measure(3, 0));
  }

  @Test
  @Tag("slow")
  void measure_noStepInAsManyRunsAsTheReference_isAlwaysSoundAndAsClose() throws Exception {
    checkAgainstReference(measure(300, 0));
  }

  private static void checkAgainstReference(List<Finding> findings) throws Exception {
    ReferenceTable reference = new ReferenceTable("drift.csv");
    for (Finding finding : findings) {
      DriftSummary found = finding.summary();
      assertThat(found.mean(DriftMetric.FALSE_ALARM_FRAC)).as(described(finding)).isZero();
      if (finding.method() == DriftMethod.STAMPS) {
        continue;
      }
      Map<String, String> row = row(reference, finding, "0", finding.column());
      double most = MOST_RATIO * ReferenceTable.number(row, "mae_ms");
      double referenceError = MOST_RATIO * ReferenceTable.number(row, "mae_ms_se");
      double doubt = Math.hypot(found.standardError(DriftMetric.MAE_MS), referenceError);
      assertThat(found.mean(DriftMetric.MAE_MS))
          .as(described(finding))
          .isLessThan(most + 3 * doubt)
          .isGreaterThan(most / 2);
      if (finding.method() == DriftMethod.MIDDLE) {
        double width = MOST_RATIO * ReferenceTable.number(row, "width_ms");
        assertThat(found.mean(DriftMetric.WIDTH_MS))
            .as(described(finding))
            .isLessThan(width + 3 * found.standardError(DriftMetric.WIDTH_MS));
        assertThat(found.mean(DriftMetric.SOUND)).as(described(finding)).isEqualTo(1);
        assertThat(found.mean(DriftMetric.BOUNDED)).as(described(finding)).isEqualTo(1);
      }
    }
  }

  @Test
  void measure_stepOf20Millis_isFoundInEveryRunAndForgottenSoon() throws Exception {
    checkStep(1);
  }

  @Test
  @Tag("slow")
  void measure_stepOf20Millis_isFoundInEachOfManyRuns() throws Exception {
    checkStep(10);
  }

  private static void checkStep(int runs) throws Exception {
    for (Finding finding : measure(runs, 20, -20)) {
      DriftSummary found = finding.summary();
      assertThat(found.mean(DriftMetric.DETECT_FRAC)).as(described(finding)).isEqualTo(1);
      assertThat(found.mean(DriftMetric.NAMED_FRAC)).as(described(finding)).isEqualTo(1);
      assertThat(found.mean(DriftMetric.FALSE_ALARM_FRAC)).as(described(finding)).isZero();
      assertThat(found.detectionSeconds(1)).as(described(finding)).isLessThan(5);
      if (finding.method() == DriftMethod.TIMELINE) {
        assertThat(found.recoverySeconds(0.5)).as(described(finding)).isLessThanOrEqualTo(4);
      }
      if (finding.method() == DriftMethod.MIDDLE) {
        assertThat(found.mean(DriftMetric.OTHER_UNSOUND_S)).as(described(finding)).isZero();
      }
    }
  }

  @Test
  void measure_stepThatNoMessageCanShow_isNotFoundButOnALan() throws Exception {
    for (Finding finding : measure(2, 5)) {
      boolean isLan = finding.where().model().delay().equals(DelayModel.LAN);
      assertThat(finding.summary().mean(DriftMetric.DETECT_FRAC))
          .as(described(finding))
          .isEqualTo(isLan ? 1 : 0);
    }
  }

  @Test
  void measure_minimumDelayKnown_narrowsTheIntervals() throws Exception {
    AlignmentSettings settings =
        AlignmentSettings.DEFAULT.withRhoPpm(100).withMinimumDelayMicros(3_000);
    Case known = new Case(new DriftModel(DELAYS.get(0), 50, 0, 600), settings);
    List<Finding> findings =
        new DriftExperiment(2, SEED, THREADS).measure(List.of(known), Progress.NONE);
    Finding middle = findings.get(0);
    assertThat(middle.column()).isEqualTo("aged100_dmin");
    Map<String, String> row = row(new ReferenceTable("drift.csv"), middle, "0", "aged100_dmin");
    assertThat(middle.summary().mean(DriftMetric.WIDTH_MS))
        .as(described(middle))
        .isCloseTo(ReferenceTable.number(row, "width_ms"), within(0.1));
    assertThat(middle.summary().mean(DriftMetric.SOUND)).as(described(middle)).isEqualTo(1);
  }

  @Test
  void measure_anyNumberOfThreads_givesTheSameFigures() throws Exception {
    Case where = new Case(new DriftModel(DelayModel.LAN, 50, 20, 40), AlignmentSettings.DEFAULT);
    List<String> one =
        figures(new DriftExperiment(6, SEED, 1).measure(List.of(where), Progress.NONE));
    assertThat(figures(new DriftExperiment(6, SEED, 4).measure(List.of(where), Progress.NONE)))
        .isEqualTo(one);
  }

  private static List<String> figures(List<Finding> findings) {
    List<String> figures = new ArrayList<>();
    for (Finding finding : findings) {
      for (DriftMetric metric : DriftMetric.values()) {
        figures.add(finding.column() + " " + metric + " " + finding.summary().mean(metric));
      }
      figures.add("recovery " + finding.summary().recoverySeconds(0.9));
    }
    return figures;
  }

  @Test
  void delayModel_namesAndFriendlyForms_meanTheSame() {
    assertThat(DelayModel.parse("uniform:3..10")).isEqualTo(DelayModel.parse("U3_10"));
    assertThat(DelayModel.parse("exponential:3+4")).isEqualTo(DelayModel.parse("3+Exp4"));
    assertThat(DelayModel.parse("lan")).isEqualTo(DelayModel.parse("lan0.05+Exp0.2"));
    assertThat(DelayModel.parse("exponential:0.5+1.25").name()).isEqualTo("0.5+Exp1.25");
    assertThatThrownBy(() -> DelayModel.parse("normal:3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no delay model: normal:3 (like uniform:3..10");
    assertThatThrownBy(() -> DelayModel.parse("uniform:9..3"))
        .hasMessage("the least delay is above the most: uniform:9..3");
  }

  @Test
  void delayModel_samples_haveTheModelsMinimumAndMean() {
    SplittableRandom random = new SplittableRandom(SEED);
    double[] means = {6.5, 7, 0.25};
    for (int i = 0; i < means.length; i++) {
      DelayModel delay = DELAYS.get(i);
      double sum = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int n = 0; n < 20_000; n++) {
        double millis = delay.sampleMicros(random) / 1_000;
        sum += millis;
        least = Math.min(least, millis);
      }
      assertThat(sum / 20_000).as(delay.name()).isCloseTo(means[i], within(0.03 * means[i]));
      assertThat(least).isBetween(delay.minimumMillis(), 1.05 * delay.minimumMillis());
    }
  }

  private static Map<String, String> row(
      ReferenceTable reference, Finding finding, String step, String method) {
    return reference.row(
        "delay_variant", finding.where().model().delay().name(), "step_ms", step, "method", method);
  }

  private static String described(Finding finding) {
    return "%s %s, seed %d".formatted(finding.where().model(), finding.column(), SEED);
  }
}
