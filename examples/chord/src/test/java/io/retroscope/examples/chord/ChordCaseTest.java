// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.chord.ChordCase.Variant;
import io.retroscope.examples.stage.CaseRun;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.DemoOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChordCaseTest {
  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  @Tag("slow")
  void run_joinsAndLeaves_findsTheRingNotWholeInEach() throws Exception {
    assertThat(run(ChordNode.class, true, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("ring not whole +[1-9]\\d* rows live, the same over the past")
        .containsPattern("node not reached +[1-9]\\d* rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("chord.wav"))).isPositive();
  }

  @Test
  @Tag("slow")
  void run_noChanges_findsNothing() {
    assertThat(run(ChordNode.class, false, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("ring not whole +0 rows live, the same over the past")
        .containsPattern("node not reached +0 rows live, the same over the past");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(UnstampedNode.class, true, 500_000)).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("FAILS +no node has a predecessor before that has joined");
  }

  private int run(Class<?> node, boolean changes, long behindMicros) {
    DemoOptions options = new DemoOptions(3, out, false, false, 0, false);
    CaseStudy study = new ChordCase(new Variant(node.getName(), true, behindMicros));
    return new CaseRun(
            changes ? study : study.withoutFaults(),
            options,
            new PrintWriter(printed, true),
            new PrintWriter(complaints, true))
        .run();
  }

  @AfterEach
  void nothingRuns() {
    assertThat(
            ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .map(ProcessHandle::info))
        .isEmpty();
  }
}
