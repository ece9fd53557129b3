// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ServingWatchTest {
  private static final long SECOND = 1_000_000;

  private final MemorySink sink = new MemorySink();
  private final Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();
  private long micros = 1_795_200_000_000_000L;
  private final ServingWatch watch = new ServingWatch(recorder, () -> micros);

  @Test
  void message_nothingServedForLong_isReported() {
    messages(10);
    assertThat(caveats()).isEmpty();

    messages(1);
    assertThat(caveats()).containsExactly(ServingWatch.CAVEAT);
  }

  @Test
  void servingBegins_reportedServer_withdrawsTheReport() {
    messages(30);
    watch.servingBegins();
    messages(30);

    assertThat(caveats()).isEmpty();
  }

  @Test
  void servingEnds_followerLosesItsLeader_hasThePatienceAnew() {
    watch.servingBegins();
    messages(100);
    watch.servingEnds();
    messages(10);
    assertThat(caveats()).isEmpty();

    messages(1);
    assertThat(caveats()).isNotEmpty();
  }

  @Test
  void message_afterSilence_startsThePatienceAnew() {
    messages(8);
    micros += 60 * SECOND; // an election: no messages of this kind
    messages(10);

    assertThat(caveats()).isEmpty();
  }

  @Test
  void servingBegins_neverReported_recordsNothing() {
    messages(5);
    watch.servingBegins();

    assertThat(caveats()).isEmpty();
    assertThat(sink.events()).noneMatch(event -> event.log().equals("retroscope"));
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  /** One each second. */
  private void messages(int count) {
    for (int i = 0; i < count; i++) {
      watch.message();
      micros += SECOND;
    }
  }

  private Set<String> caveats() {
    return Caveats.of(recorder, sink);
  }
}
