// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.parser.ParseLimits;
import org.junit.jupiter.api.Test;

/** Tests that a limit which would refuse every query is found when it is set. */
class QueryLimitsTest {
  @Test
  void limits_ofOne_areAccepted() {
    assertThat(limits(1, 1, 1, 1, 1, 1, 1).evaluation().maxBindings()).isEqualTo(1);
  }

  @Test
  void limits_ofZero_areRefusedWithAllOfThem() {
    for (int zero = 0; zero < 7; zero++) {
      int[] one = {1, 1, 1, 1, 1, 1, 1};
      one[zero] = 0;
      assertThatThrownBy(() -> limits(one))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be positive")
          .hasMessageContaining("=0");
    }
  }

  private static QueryLimits limits(int... each) {
    return new QueryLimits(
        ParseLimits.DEFAULT,
        AnalysisLimits.DEFAULT,
        OuterLimits.DEFAULT,
        new EvaluationLimits(each[0], each[1], each[2], each[3], each[4]),
        each[5],
        each[6]);
  }
}
