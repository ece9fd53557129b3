// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.postgres.PostgresCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class PostgresCaseTest {
  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_asynchronous_findsReadsOlderThanPromised() throws Exception {
    assertThat(run(BillingNode.class, true, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("standby behind +[1-9]\\d* rows live, the same over the past")
        .containsPattern("read older than promised +[1-9]\\d* rows live, the same over the past")
        .containsPattern("read before it is stored +0 rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("postgres.wav"))).isPositive();
  }

  @Test
  void run_synchronous_findsNothing() {
    assertThat(run(BillingNode.class, false, 0)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("standby behind +0 rows live, the same over the past")
        .containsPattern("read older than promised +0 rows live, the same over the past")
        .containsPattern("read before it is stored +0 rows live, the same over the past")
        .doesNotContain("FAILS");
  }

  @Test
  void run_stampsNotReceived_oracleFails() {
    assertThat(run(UnstampedBilling.class, true, 2_000_000)).isEqualTo(1);
    assertThat(trial.printed())
        .containsPattern("FAILS +no order is read before it is stored \\([1-9]\\d* are\\)");
  }

  @Test
  void run_standbyKilledDuringTheStart_namesIt() {
    assertThat(run(KilledStandby.class, true, 0)).isEqualTo(1);
    assertThat(trial.complaints()).contains("the standby ended");
  }

  @Test
  void unpack_archiveOfTheJar_hasAServer() throws Exception {
    PostgresPrograms programs =
        new PostgresPrograms(PostgresArchive.unpack(out.resolve("postgresql")).resolve("bin"));
    out.toFile().setExecutable(true, false);
    assertThat(programs.run(out, "postgres", "--version")).startsWith("postgres (PostgreSQL) ");
  }

  private int run(Class<?> billing, boolean asynchronous, long behindMicros) {
    CaseStudy study = new PostgresCase(new Variant(billing.getName(), false, behindMicros));
    return trial.run(asynchronous ? study : study.withoutFaults(), 3, out);
  }
}
