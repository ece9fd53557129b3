// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.postgres.PostgresCase.Variant;
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
final class PostgresCaseTest {
  @TempDir Path out;

  private final SeenProcesses processes = new SeenProcesses();
  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_asynchronous_findsReadsOlderThanPromised() throws Exception {
    assertThat(run(BillingNode.class, true, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("standby behind +[1-9]\\d* rows live, the same over the past")
        .containsPattern("read older than promised +[1-9]\\d* rows live, the same over the past")
        .containsPattern("read before it is stored +0 rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("postgres.wav"))).isPositive();
  }

  @Test
  void run_synchronous_findsNothing() {
    assertThat(run(BillingNode.class, false, 0)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("standby behind +0 rows live, the same over the past")
        .containsPattern("read older than promised +0 rows live, the same over the past")
        .containsPattern("read before it is stored +0 rows live, the same over the past")
        .doesNotContain("FAILS");
  }

  @Test
  void run_stampsNotReceived_oracleFails() {
    assertThat(run(UnstampedBilling.class, true, 500_000)).isEqualTo(1);
    assertThat(printed.toString())
        .containsPattern("FAILS +no order is read before it is stored \\([1-9]\\d* are\\)");
  }

  @Test
  void run_standbyKilledDuringTheStart_namesIt() {
    assertThat(run(KilledStandby.class, true, 0)).isEqualTo(1);
    assertThat(complaints.toString()).contains("the standby ended");
  }

  @Test
  void unpack_archiveOfTheJar_hasAServer() throws Exception {
    PostgresPrograms programs =
        new PostgresPrograms(PostgresArchive.unpack(out.resolve("postgresql")).resolve("bin"));
    out.toFile().setExecutable(true, false);
    assertThat(programs.run(out, "postgres", "--version")).startsWith("postgres (PostgreSQL) ");
  }

  private int run(Class<?> billing, boolean asynchronous, long behindMicros) {
    DemoOptions options = new DemoOptions(3, out, false, false, 0, false);
    CaseStudy study = new PostgresCase(new Variant(billing.getName(), false, behindMicros));
    int status =
        new CaseRun(
                asynchronous ? study : study.withoutFaults(),
                options,
                new PrintWriter(printed, true),
                new PrintWriter(complaints, true))
            .run();
    assertThat(processes.count()).as("the servers were seen").isPositive();
    return status;
  }

  /** The servers are no children of this process, but of one that it starts. */
  @AfterEach
  void nothingRuns() throws Exception {
    assertThat(processes.running()).isEmpty();
    processes.close();
  }
}
