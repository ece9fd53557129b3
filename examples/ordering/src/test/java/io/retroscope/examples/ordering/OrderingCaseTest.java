// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.ordering.OrderingCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class OrderingCaseTest {
  private static final Variant USUAL = Variant.usual(20261128);

  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  @Tag("slow")
  void run_usual_findsDifferentOrdersOnlyPastTheSequencer() throws Exception {
    assertThat(run(new OrderingCase(USUAL), 10)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("different orders +[1-9]\\d* rows live, the same over the past")
        .containsPattern("done too early +0 rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("ordering.wav"))).isPositive();
    assertThat(Files.readString(out.resolve("ordering.txt"))).contains("done/s");
  }

  @Test
  @Tag("slow")
  void run_sequencerOnly_findsNoDifferentOrder() {
    assertThat(run(new OrderingCase(USUAL).withoutFaults(), 5)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("different orders +0 rows live, the same over the past")
        .containsPattern("different views +0 rows live, the same over the past")
        .contains("0 executions rolled back");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    Variant broken =
        new Variant(
            Group.STACK.replace("traced", "untraced"),
            List.of(0),
            USUAL.needed(),
            2_000_000,
            20261128);
    assertThat(run(new OrderingCase(broken), 2)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("no replica has executed more requests than were sent at lower stamps");
  }

  private int run(CaseStudy study, int seconds) {
    return trial.run(study, seconds, out);
  }
}
