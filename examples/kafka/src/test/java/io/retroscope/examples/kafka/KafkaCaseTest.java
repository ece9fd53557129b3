// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.kafka.KafkaCase.Fault;
import io.retroscope.examples.stage.CaseStudy;
import io.retroscope.examples.stage.CaseTrial;
import io.retroscope.examples.stage.DemoOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class KafkaCaseTest {
  private static final long BEHIND_MICROS = -40_000;

  /** Longer than an order takes to a consumer of a busy machine. */
  private static final long FAR_BEHIND_MICROS = -2_000_000;

  @RegisterExtension final CaseTrial trial = new CaseTrial();

  @TempDir Path out;

  @Test
  @Tag("slow")
  void run_slowBatch_findsTwoOwnersInThePause() throws Exception {
    checkRun(new KafkaCase(OrderConsumer.class.getName(), List.of(Fault.SLOW_BATCH), 0), 4, 1);
  }

  @Test
  @Tag("slow")
  void run_slowBatchesAndStoppedProcesses_findsTwoOwnersInEachPause() throws Exception {
    checkRun(new KafkaCase(), DemoOptions.DEFAULT_SECONDS, 2);
  }

  private void checkRun(KafkaCase study, int seconds, int pausesAtLeast) throws Exception {
    assertThat(run(study, seconds)).as(trial.output()).isZero();
    Matcher pauses =
        Pattern.compile("holds +(\\d+) pauses, (\\d+) stretches owned twice")
            .matcher(trial.printed());
    assertThat(pauses.find()).as(trial.printed()).isTrue();
    int count = Integer.parseInt(pauses.group(1));
    assertThat(count).isGreaterThanOrEqualTo(pausesAtLeast);
    int stretches = Integer.parseInt(pauses.group(2));
    assertThat(trial.printed())
        .containsPattern("owned twice +" + 2 * stretches + " rows live, the same over the past")
        .doesNotContain("FAILS");
    assertThat(Files.size(out.resolve("kafka.wav"))).isPositive();
    assertThat(Files.size(out.resolve("kafka.mid"))).isPositive();
    assertThat(Files.readString(out.resolve("events.ndjson"))).contains("\"rebalance\":\"lost\"");
  }

  @Test
  @Tag("slow")
  void run_withoutFaults_findsNothing() {
    KafkaCase faulty =
        new KafkaCase(OrderConsumer.class.getName(), List.of(Fault.SLOW_BATCH), BEHIND_MICROS);
    assertThat(run(faulty.withoutFaults(), 1)).as(trial.output()).isZero();
    assertThat(trial.printed())
        .containsPattern("owned twice +0 rows live")
        .containsPattern("commit refused +0 rows live");
  }

  @Test
  @Tag("slow")
  void run_stampsNotCarried_oracleFails() {
    KafkaCase broken =
        new KafkaCase(BrokenConsumers.Unstamped.class.getName(), List.of(), FAR_BEHIND_MICROS);
    assertThat(run(broken, 2)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("no order was handled before it was placed");
    assertThat(trial.printed()).containsPattern("owned twice +0 rows live, the same");
  }

  @Test
  @Tag("slow")
  void run_lossNotRecorded_oracleFails() {
    KafkaCase broken =
        new KafkaCase(BrokenConsumers.Forgetful.class.getName(), List.of(Fault.SLOW_BATCH), 0);
    assertThat(run(broken, 2)).isEqualTo(1);
    assertThat(trial.complaints())
        .contains("the oracle does not agree")
        .contains("each of them ends at an onPartitionsLost (0)");
  }

  private int run(CaseStudy study, int seconds) {
    return trial.run(study, seconds, out);
  }
}
