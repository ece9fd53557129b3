// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.infinispan.InfinispanCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import io.retroscope.examples.stage.DemoOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class InfinispanCaseTest {
  private static final long SEED = 20261123;
  private static final long BEHIND_MICROS = -40_000;

  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  /** Shorter than the time to the first burst, after 1.5 s. */
  @Test
  @Tag("slow")
  void run_aSecond_agreesWithTheOracle() throws Exception {
    assertThat(run(StockNode.class, "REPL_ASYNC", 1)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("replicas apart +\\d+ rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("infinispan.mid"))).isPositive();
    assertThat(Files.readString(out.resolve("events.ndjson"))).contains("\"put\"");
  }

  /** It lasts until the visitor has left, and so at least one burst, after 1.5 s. */
  @Test
  @Tag("slow")
  void run_asynchronous_findsReplicasApartInGusts() throws Exception {
    checkRun(3);
  }

  @Test
  @Tag("slow")
  void run_asynchronousForTwentySeconds_findsReplicasApartInGusts() throws Exception {
    checkRun(DemoOptions.DEFAULT_SECONDS);
  }

  private void checkRun(int seconds) throws Exception {
    assertThat(run(StockNode.class, "REPL_ASYNC", seconds)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("replicas apart +[1-9]\\d* rows live, the same over the past")
        .containsPattern("holds +[1-9]\\d* gusts")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("infinispan.wav"))).isPositive();
    assertThat(Files.size(out.resolve("infinispan.mid"))).isPositive();
    assertThat(Files.readString(out.resolve("events.ndjson"))).contains("\"put\"");
  }

  @Test
  @Tag("slow")
  void run_withoutFaults_hasNoGusts() {
    CaseStudy faulty = study(StockNode.class, "REPL_ASYNC");
    assertThat(run(faulty.withoutFaults(), 4)).as(trial.output()).isZero();
    assertThat(trial.printed()).containsPattern("holds +0 gusts").doesNotContain("FAILS");
  }

  @Test
  @Tag("slow")
  void run_synchronous_findsNoReplicasApart() {
    assertThat(run(StockNode.class, "REPL_SYNC", 4)).as(trial.output()).isZero();
    assertThat(trial.printed()).containsPattern("replicas apart +0 rows live, the same");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(UnstampedNode.class, "REPL_ASYNC", 1)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("no version was applied before it was put");
  }

  private static CaseStudy study(Class<?> node, String mode) {
    return new InfinispanCase(
        new Variant(node.getName(), mode, true, BEHIND_MICROS, new Random(SEED)));
  }

  private int run(Class<?> node, String mode, int seconds) {
    return run(study(node, mode), seconds);
  }

  private int run(CaseStudy study, int seconds) {
    return trial.run(study, seconds, out);
  }
}
