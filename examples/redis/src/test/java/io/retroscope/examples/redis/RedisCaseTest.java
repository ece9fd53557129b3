package io.retroscope.examples.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.redis.RedisCase.Variant;
import io.retroscope.examples.stage.CaseRun;
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
final class RedisCaseTest {
  /** Longer than a turn without a pause, so that only stamps put turns in their order. */
  private static final long BEHIND_MICROS = -120_000;

  @TempDir Path out;

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();

  @Test
  void run_withPauses_findsTwoHoldersInThemOnly() throws Exception {
    assertThat(run(LeaseWorker.class, 20, 10)).as(printed + "\n" + complaints).isZero();
    assertThat(printed.toString())
        .containsPattern("held twice +[1-9]\\d* rows live, the same over the past")
        .containsPattern("without fencing: [1-9]\\d* writes")
        .containsPattern("with fencing: 0 stale writes in Redis; [1-9]\\d* were refused")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("redis.wav"))).isPositive();
    assertThat(Files.size(out.resolve("redis.mid"))).isPositive();
    assertThat(Files.readString(out.resolve("events.ndjson"))).contains("\"holds\"");
  }

  @Test
  void run_withoutPauses_findsNoTwoHolders() {
    assertThat(run(LeaseWorker.class, 0, 4)).as(printed + "\n" + complaints).isZero();
    // A machine that is so busy that a turn outlives its lease makes rows that are true.
    String stretches = " stretches with two holders, all in turns that outlived their lease ";
    assertThat(printed.toString())
        .containsPattern(stretches + "\\(\\d+, 0 of them made to pause\\)")
        .containsPattern(" 0" + stretches + "|" + stretches + "\\([1-9]");
  }

  @Test
  void run_stampsNotCarried_oracleFails() {
    assertThat(run(UnstampedWorker.class, 0, 3)).isEqualTo(1);
    assertThat(complaints.toString())
        .contains("the oracle does not agree")
        .containsPattern("each turn began at a later stamp .* [1-9]\\d* too early")
        .contains("two holders, all in turns that outlived their lease");
  }

  private int run(Class<?> worker, int pauseEvery, int seconds) {
    Variant variant = new Variant(worker.getName(), pauseEvery, BEHIND_MICROS);
    DemoOptions options = new DemoOptions(seconds, out, false, false, 0, false);
    return new CaseRun(
            new RedisCase(variant),
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
