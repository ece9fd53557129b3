// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.chord.ChordCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class ChordCaseTest {
  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  @Tag("slow")
  void run_joinsAndLeaves_findsTheRingNotWholeInEach() throws Exception {
    assertThat(run(ChordNode.class, true, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("ring not whole +[1-9]\\d* rows live, the same over the past")
        .containsPattern("node not reached +[1-9]\\d* rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("chord.wav"))).isPositive();
  }

  @Test
  @Tag("slow")
  void run_noChanges_findsNothing() {
    assertThat(run(ChordNode.class, false, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("ring not whole +0 rows live, the same over the past")
        .containsPattern("node not reached +0 rows live, the same over the past");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(UnstampedNode.class, true, 2_000_000)).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("FAILS +no node has a predecessor before that has joined");
  }

  private int run(Class<?> node, boolean changes, long behindMicros) {
    CaseStudy study = new ChordCase(new Variant(node.getName(), true, behindMicros));
    return trial.run(changes ? study : study.withoutFaults(), 3, out);
  }
}
