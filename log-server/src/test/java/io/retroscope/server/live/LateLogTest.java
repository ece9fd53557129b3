// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.server.store.run.Incarnation;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of the late blocks that a resumed stream finds at another server. */
class LateLogTest {
  private static final long START = HlcTimestamp.pack(50);
  private static final long RUN = 5;
  private static final long MARGIN = 10;

  private long now = 1_000;
  private long reached;
  private final WatermarkTracker watermarks =
      new WatermarkTracker(() -> 0, () -> 100, TimeUnit.SECONDS.toNanos(1), List.of());
  private final LateLog log =
      LateLog.shared(
          watermarks,
          RUN,
          new LateLog.Numbers() {
            @Override
            public long next() {
              return now;
            }

            @Override
            public long reached() {
              return reached;
            }

            @Override
            public long before(long placeNumber) {
              return placeNumber - MARGIN;
            }
          });

  /** The watermark is at 100 µs. */
  private void begin() {
    Incarnation run = new Incarnation(new Incarnation.Name("n", "i"));
    run.promise(0, HlcTimestamp.pack(100));
    watermarks.heard(List.of(run));
    watermarks.published();
    watermarks.advance();
    log.begin();
  }

  /** The place of a stream at another server, at a time of these servers. */
  private StreamPlace place(long time) {
    reached = time;
    long hlc = HlcTimestamp.pack(90);
    return new StreamPlace(START, hlc, 0, START, 0, log.number(), 0);
  }

  private long firstAfter(long time) {
    return log.firstAfter(place(time), new LateInterest(Set.of("l"), Set.of(), false));
  }

  private void notice(String log, long micros) {
    this.log.noticed(
        new BlockNotice(
            List.of("n"), List.of(log), HlcTimestamp.pack(micros), HlcTimestamp.pack(micros), 0));
  }

  @Test
  void firstAfter_placeBeforeTheLogBegan_isNotKnown() {
    assertThat(firstAfter(5_000)).as("before it began").isEqualTo(START);
    begin();
    assertThat(firstAfter(1_000 + MARGIN - 1)).isEqualTo(START);
    assertThat(firstAfter(1_000 + MARGIN)).isEqualTo(LateInterest.NONE);
    StreamPlace ofOthers = new StreamPlace(START, START, 0, START, 0, 6L << 40, 0);
    assertThat(log.firstAfter(ofOthers, LateInterest.ALL)).isEqualTo(START);
  }

  @Test
  void firstAfter_blocksThatCameSince_areFoundWithinTheMargin() {
    begin();
    now = 2_000;
    notice("l", 80);
    notice("other", 60);
    notice("l", 101); // not late
    assertThat(firstAfter(2_000 + MARGIN - 1)).isEqualTo(HlcTimestamp.pack(80));
    assertThat(firstAfter(2_000 + MARGIN)).isEqualTo(LateInterest.NONE);
  }

  @Test
  void firstAfter_tooManyBlocks_isNotKnown() {
    begin();
    now = 2_000;
    notice("other", 80);
    now = 3_000;
    for (int i = 0; i < LateLog.MAX_BLOCKS; i++) {
      notice("other", 80);
    }
    assertThat(firstAfter(2_000 + MARGIN - 1)).isEqualTo(START);
    assertThat(firstAfter(2_000 + MARGIN)).isEqualTo(LateInterest.NONE);
  }
}
