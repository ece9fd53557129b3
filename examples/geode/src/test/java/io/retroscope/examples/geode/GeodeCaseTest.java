// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.geode.GeodeCase.Variant;
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

@Tag("slow")
final class GeodeCaseTest {
  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_twoWriters_findsTwoValuesOfOneVersion() throws Exception {
    assertThat(run(ServerNode.class, true, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("one version, two values +[1-9]\\d* rows live, the same over the past")
        .containsPattern("used before its flush +0 rows live, the same over the past")
        .containsPattern("message, two versions +0 rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("geode.wav"))).isPositive();
    assertThat(out.resolve("geode-patterns.txt")).content().contains("no-wait", "forwarded", " < ");
  }

  @Test
  void run_oneWriter_findsNoTwoValues() {
    assertThat(run(ServerNode.class, false, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("one version, two values +0 rows live, the same over the past")
        .containsPattern("used before its flush +0 rows live, the same over the past")
        .doesNotContain("FAILS");
  }

  @Test
  void run_stampsNotReceived_oracleFails() {
    assertThat(run(UnstampedServer.class, true, 500_000)).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("FAILS +no value is held before it is put .* [1-9]\\d* too early");
  }

  private int run(Class<?> server, boolean twoWriters, long behindMicros) {
    DemoOptions options = new DemoOptions(3, out, false, false, 0, false);
    CaseStudy study = new GeodeCase(new Variant(server.getName(), true, behindMicros));
    return new CaseRun(
            twoWriters ? study : study.withoutFaults(),
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
