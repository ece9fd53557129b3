// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.server.api.UnsentStream;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.LiveFollowers;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.live.WatermarkTracker;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A live query with PLAY over a {@link WarmUpHistory}, which follows a watermark through it in
 * steps with up to three rows and notes each. Rows of real live queries may be rare: without it,
 * Java would interpret their code for hours, in several milliseconds per row.
 */
final class WarmUpStream {
  private static final long STEP_MICROS = 200_000;
  private static final String STATEMENT =
      "SELECT STREAM version@n0 FROM nodes3 WHEN version@n0 % 16 = 0"
          + " PLAY wood NOTE 30 + version@n0 % 50";

  private final QueryEngine engine;
  private final WarmUpHistory history;

  WarmUpStream(QueryEngine engine, WarmUpHistory history) {
    this.engine = engine;
    this.history = history;
  }

  /**
   * Follows the history to its end.
   *
   * @param written takes what a client would receive
   * @param isStopped whether to end before that; looked at before each step
   */
  void run(Consumer<ByteBuffer> written, BooleanSupplier isStopped) {
    WatermarkTracker watermarks =
        new WatermarkTracker(MonotonicClock.system(), PhysicalClock.system(), 1, List.of());
    StreamingQuery.Parts parts =
        new StreamingQuery.Parts(
            engine,
            history.source(),
            watermarks,
            new LateLog(watermarks, 0),
            MonotonicClock.system());
    long begin = history.beginMicros();
    UnsentStream stream = new UnsentStream(engine, STATEMENT, HlcTimestamp.pack(begin), written);
    LiveStart opening = LiveStart.at(HlcTimestamp.pack(begin));
    try (LiveFollowers followers = new LiveFollowers(parts)) {
      var unused = followers.open(stream.query(), stream.sink(), opening);
      for (long micros = begin;
          micros <= history.endMicros() && !isStopped.getAsBoolean();
          micros += STEP_MICROS) {
        followers.step(new Watermark(HlcTimestamp.pack(micros), Collections.emptyNavigableMap()));
      }
    }
  }
}
