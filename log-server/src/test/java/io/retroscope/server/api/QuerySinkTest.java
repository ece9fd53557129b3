// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.api.AnswerForm.Format;
import io.retroscope.server.api.ComputingTurns.Turn;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuerySinkTest {
  private static final long TURN = ComputingTurns.TURN.toNanos();

  private final AtomicLong nanos = new AtomicLong();
  private final ComputingTurns turns = new ComputingTurns(1, nanos::get);

  @Test
  void cancelled_longQueryWithoutASeat_waitsForOne() throws Exception {
    Turn other = turns.begin();
    Turn own = turns.begin();
    nanos.addAndGet(TURN);
    other.next();
    QuerySink sink = sink(own);
    CompletableFuture<Boolean> cancelled = CompletableFuture.supplyAsync(sink::cancelled);
    TimeUnit.MILLISECONDS.sleep(50);
    assertThat(cancelled).isNotDone();
    other.close();
    assertThat(cancelled.get(10, TimeUnit.SECONDS)).isFalse();
    own.close();
  }

  @Test
  void progress_toAClientThatMayBeSlow_leavesTheSeat() {
    Turn own = turns.begin();
    nanos.addAndGet(TURN);
    QuerySink sink = sink(own);
    assertThat(sink.cancelled()).isFalse();
    sink.progress(1, 1);

    Turn other = turns.begin();
    nanos.addAndGet(TURN);
    other.next();
    other.close();
  }

  @Test
  void cancelled_afterItsTime_isTrue() {
    Turn own = turns.begin();
    QuerySink sink = sink(own);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(60) + 1);
    assertThat(sink.cancelled()).isTrue();
    assertThat(sink.isOverdue()).isTrue();
    own.close();
  }

  private QuerySink sink(Turn turn) {
    Answer answer = new Answer(new SentAnswer().request(), "application/x-ndjson", turn::leave);
    return new QuerySink(
        answer,
        Format.LINES.form(answer),
        () -> false,
        turn,
        new Metrics(nanos::get),
        nanos::get,
        Duration.ofSeconds(60));
  }
}
