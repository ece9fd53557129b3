// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.geode.GeodeCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class GeodeCaseTest {
  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_twoWriters_findsTwoValuesOfOneVersion() throws Exception {
    assertThat(run(ServerNode.class, true, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("one version, two values +[1-9]\\d* rows live, the same over the past")
        .containsPattern("used before its flush +0 rows live, the same over the past")
        .containsPattern("message, two versions +0 rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("geode.wav"))).isPositive();
    assertThat(out.resolve("geode-patterns.txt")).content().contains("no-wait", "forwarded", " < ");
  }

  @Test
  void run_oneWriter_findsNoTwoValues() {
    assertThat(run(ServerNode.class, false, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("one version, two values +0 rows live, the same over the past")
        .containsPattern("used before its flush +0 rows live, the same over the past")
        .doesNotContain("FAILS");
  }

  @Test
  void run_stampsNotReceived_oracleFails() {
    assertThat(run(UnstampedServer.class, true, 2_000_000)).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("FAILS +no value is held before it is put .* [1-9]\\d* too early");
  }

  private int run(Class<?> server, boolean twoWriters, long behindMicros) {
    CaseStudy study = new GeodeCase(new Variant(server.getName(), true, behindMicros));
    return trial.run(twoWriters ? study : study.withoutFaults(), 3, out);
  }
}
