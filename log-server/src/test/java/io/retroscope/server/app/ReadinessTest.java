// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the reasons that readiness reports. */
@Timeout(60)
class ReadinessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long NOW_MICROS = 1_800_000_000_000_000L;

  private final AtomicLong nanos = new AtomicLong();

  @TempDir Path directory;

  @Test
  void writeProof_noWriteSucceeds_isReportedUntilOneDoes() {
    EventStore store = EventStore.open(directory, StoreOptions.DEFAULT, () -> NOW_MICROS);
    WriteProof proof = new WriteProof(store, nanos::get);
    assertThat(proof.trouble()).isEmpty();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(12));
    assertThat(proof.trouble()).contains("nothing could be written to the store for 12 s");

    proof.write();
    Awaitility.await().atMost(PATIENCE).until(() -> proof.trouble().isEmpty());
    store.close();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(12));
    proof.write();
    assertThat(proof.trouble()).isPresent();
  }

  @Test
  void watermarkLag_aNodeThatDoesNotGetOn_isReported() {
    try (EventStore store = EventStore.open(directory, StoreOptions.DEFAULT, () -> NOW_MICROS)) {
      WatermarkTracker tracker =
          new WatermarkTracker(
              nanos::get, () -> NOW_MICROS, TimeUnit.MINUTES.toNanos(10), store.incarnations());
      WatermarkLag lag = new WatermarkLag(tracker, () -> NOW_MICROS);
      store.addListener(tracker);
      store.addListener(lag);
      Heartbeats.send(store, "slow", NOW_MICROS - 300_000_000);
      Heartbeats.send(store, "fast", NOW_MICROS - 300_000_000);
      tracker.advance();
      assertThat(lag.trouble()).isEmpty();

      Heartbeats.send(store, "fast", NOW_MICROS);
      tracker.advance();
      assertThat(HlcTimestamp.micros(tracker.current().hlc())).isEqualTo(NOW_MICROS - 300_000_000);
      assertThat(lag.trouble())
          .hasValueSatisfying(trouble -> assertThat(trouble).contains("300 s late"));
    }
  }
}
