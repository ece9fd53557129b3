// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of how far the answers of a cluster are complete. */
class ClusterPresentTest {
  private static final long NOW = 1_795_200_000_000_000L;
  private static final long IDLE = 1_000_000;

  private final ClusterPresent present = new ClusterPresent(() -> NOW, IDLE);

  private static List<Event> events(String node, long micros, long promise) {
    Change change = new Change(Operation.SET, "x", Value.of(1));
    return List.of(
        new Event(node, "l", HlcTimestamp.pack(micros - 1), new StateChange(List.of(change))),
        new Event(node, "", HlcTimestamp.pack(micros), new EventBody.Heartbeat(promise)));
  }

  private static EventSource source(long first, long second) {
    List<Event> all = new ArrayList<>(events("a", first, 100_000));
    all.addAll(events("b", second, 100_000));
    return new InMemoryEventSource(all, ClockOffsets.UNKNOWN);
  }

  private long complete(EventSource source) {
    try (EventSource.View view = source.open()) {
      return present.completeHlc(view, present.completeHlc());
    }
  }

  @Test
  void completeHlc_twoNodesSend_isTheLowerFrontier() {
    assertThat(complete(source(NOW - 300_000, NOW - 200_000)))
        .isEqualTo(HlcTimestamp.pack(NOW - 300_000));
  }

  @Test
  void completeHlc_idleNodes_areLeftOut() {
    assertThat(complete(source(NOW - 60_000_000, NOW - 200_000)))
        .isEqualTo(HlcTimestamp.pack(NOW - 200_000));
    assertThat(complete(source(NOW - 60_000_000, NOW - 60_000_000)))
        .isEqualTo(HlcTimestamp.MAX_PACKED);
  }

  @Test
  void query_rangeAfterWhatIsComplete_saysSo() {
    QueryEngine engine =
        new QueryEngine(
            source(NOW - 300_000, NOW - 200_000),
            QueryLimits.DEFAULT,
            present,
            node -> {
              throw new AssertionError(node);
            });
    List<String> warnings = new ArrayList<>();
    engine.run(
        engine.prepare("SELECT x FROM l ON TIME '2026-11-20T00:00:00Z' TO '2026-11-21T00:00:00Z'"),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {}

          @Override
          public boolean row(Row row) {
            return true;
          }

          @Override
          public void warning(String message) {
            warnings.add(message);
          }
        });
    assertThat(warnings)
        .anyMatch(
            warning ->
                warning.contains("complete only up to " + HlcTimestamp.isoMicros(NOW - 300_000)));
  }
}
