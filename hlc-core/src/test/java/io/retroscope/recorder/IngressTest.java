// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IngressTest {
  private final MemorySink sink = new MemorySink();
  private final Map<String, String> environment = new HashMap<>();

  @Test
  void receive_byDefault_followsTheStamp() {
    try (Recorder recorder = recorder()) {
      long ahead = aheadOf(recorder);

      recorder.ingress().receive(ahead);

      assertThat(recorder.tick()).isGreaterThan(ahead);
      assertThat(receives(recorder)).hasSize(1);
      assertThat(recorder.statistics().untrusted()).isZero();
    }
  }

  @Test
  void receive_trustOff_neitherMovesTheClockNorRecords() {
    environment.put("RETROSCOPE_TRUST", "off");
    try (Recorder recorder = recorder()) {
      long ahead = aheadOf(recorder);

      recorder.ingress().receive(ahead);

      assertThat(recorder.tick()).isLessThan(ahead);
      assertThat(receives(recorder)).isEmpty();
      assertThat(recorder.statistics().untrusted()).isEqualTo(1);
    }
  }

  /** The statistics say what became of stamps that are too far ahead. */
  @ParameterizedTest
  @EnumSource(RemotePolicy.class)
  void receive_tooFarAhead_isCountedByThePolicy(RemotePolicy policy) {
    try (Recorder recorder = Recorder.builder().node("a").sink(sink).remotePolicy(policy).build()) {
      long day = Duration.ofDays(1).toSeconds() * 1_000_000;
      long ahead = HlcTimestamp.pack(HlcTimestamp.micros(recorder.tick()) + day);

      recorder.ingress().receive(ahead);

      RecorderStatistics statistics = recorder.statistics();
      assertThat(
              List.of(
                  statistics.refusedStamps(),
                  statistics.clampedStamps(),
                  statistics.followedStamps()))
          .isEqualTo(
              switch (policy) {
                case REFUSE -> List.of(1L, 0L, 0L);
                case CLAMP -> List.of(0L, 1L, 0L);
                case ACCEPT -> List.of(0L, 0L, 1L);
              });
    }
  }

  @Test
  void receive_innerEntranceOfAnEdge_followsTheStamp() {
    try (Recorder recorder =
        Recorder.builder().node("edge").sink(sink).trustRemote(false).build()) {
      long ahead = aheadOf(recorder);

      recorder.ingress(true).receive(ahead);

      assertThat(recorder.tick()).isGreaterThan(ahead);
    }
  }

  @Test
  void receive_ofTheNodesOwnCalls_isFollowedAtTheEdge() {
    environment.put("RETROSCOPE_TRUST", "off");
    try (Recorder recorder = recorder()) {
      long ahead = aheadOf(recorder);

      recorder.receive("zk1", ahead);

      assertThat(recorder.tick()).isGreaterThan(ahead);
    }
  }

  private Recorder recorder() {
    Settings settings = new Settings(environment::get, name -> null);
    return Recorder.builder().node("edge").sink(sink).settings(settings).build();
  }

  /** 59.9 s ahead: just below the maximum that a clock follows. */
  private static long aheadOf(Recorder recorder) {
    return HlcTimestamp.pack(HlcTimestamp.micros(recorder.tick()) + 59_900_000);
  }

  private List<Event> receives(Recorder recorder) {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream()
        .filter(event -> event.body() instanceof EventBody.Receive)
        .toList();
  }
}
