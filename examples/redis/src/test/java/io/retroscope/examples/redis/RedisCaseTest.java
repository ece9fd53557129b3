// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.redis.RedisCase.Variant;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class RedisCaseTest {
  /** Longer than a turn without a pause, so that only stamps put turns in their order. */
  private static final long BEHIND_MICROS = -120_000;

  private static final long LONG_LEASE_MILLIS = 60_000;

  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  void run_withPauses_findsTwoHoldersInThemOnly() throws Exception {
    assertThat(run(LeaseWorker.class, true, RedisCase.LEASE_MILLIS, 10))
        .as(trial.output())
        .isZero();
    assertThat(trial.printed())
        .containsPattern("held twice +[1-9]\\d* rows live, the same over the past")
        .containsPattern("without fencing: [1-9]\\d* writes")
        .containsPattern("with fencing: 0 stale writes in Redis; [1-9]\\d* were refused")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("redis.wav"))).isPositive();
    assertThat(Files.size(out.resolve("redis.mid"))).isPositive();
    assertThat(Files.readString(out.resolve("events.ndjson"))).contains("\"holds\"");
  }

  /** A control run: with this lease, no turn outlives it on a busy machine either. */
  @Test
  void run_withoutPauses_findsNoTwoHolders() {
    assertThat(run(LeaseWorker.class, false, LONG_LEASE_MILLIS, 4)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("held twice +0 rows live, the same over the past")
        .containsPattern("stale write +0 rows live, the same over the past")
        .containsPattern("refused by fencing +0 rows live, the same over the past")
        .contains(" 0 stretches with two holders, all in turns that outlived their lease (0, 0 of")
        .doesNotContain("FAILS");
  }

  @Test
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(UnstampedWorker.class, false, LONG_LEASE_MILLIS, 3)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .containsPattern("each turn began at a later stamp .* [1-9]\\d* too early")
        .contains("two holders, all in turns that outlived their lease (0, 0 of");
  }

  private int run(Class<?> worker, boolean pauses, long leaseMillis, int seconds) {
    CaseStudy study = new RedisCase(new Variant(worker.getName(), 20, leaseMillis, BEHIND_MICROS));
    return trial.run(pauses ? study : study.withoutFaults(), seconds, out);
  }
}
