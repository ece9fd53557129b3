// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A guard of the ratio between a walk and a plain loop that answers the same question, in CPU time
 * of one thread. The limit is a fraction of the measured ratio, which {@code docs/performance.md}
 * has.
 */
@Tag("slow")
class WalkRateTest {
  private static final int EVENTS = 500_000;
  private static final int NODES = 3;
  private static final int ROUNDS = 41;
  private static final double LEAST_RATIO = 0.4;

  private final long[] numbers = new long[EVENTS];

  @Test
  void run_quietCuts_isAFractionOfTheLoop() {
    for (int i = 0; i < EVENTS; i++) {
      numbers[i] = i / NODES;
    }
    QueryEngine engine =
        new QueryEngine(
            new InMemoryEventSource(events(), ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    PreparedQuery query = engine.prepare("SELECT x FROM t WHEN SPREAD(x) > 12;");
    double walk = medianNanos(() -> engine.run(query, new NoRows()));
    double loop = medianNanos(() -> assertThat(countStale()).isZero());
    assertThat(loop / walk).as("loop %f ns, walk %f ns", loop, walk).isGreaterThan(LEAST_RATIO);
  }

  private List<Event> events() {
    List<Event> events = new ArrayList<>(EVENTS);
    for (int i = 0; i < EVENTS; i++) {
      Change set = new Change(Operation.SET, "x", Value.of(numbers[i]));
      long hlc = HlcTimestamp.pack(1_000_000L + i);
      events.add(new Event("n" + i % NODES, "t", hlc, new StateChange(List.of(set))));
    }
    return events;
  }

  private int countStale() {
    long[] now = new long[NODES];
    int stale = 0;
    for (int i = 0; i < EVENTS; i++) {
      now[i % NODES] = numbers[i];
      long low = Long.MAX_VALUE;
      long high = Long.MIN_VALUE;
      for (long number : now) {
        low = Math.min(low, number);
        high = Math.max(high, number);
      }
      stale += high - low > 12 ? 1 : 0;
    }
    return stale;
  }

  private static double medianNanos(Runnable work) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] nanos =
        IntStream.range(0, ROUNDS)
            .mapToLong(
                round -> {
                  long began = thread.getCurrentThreadCpuTime();
                  work.run();
                  return thread.getCurrentThreadCpuTime() - began;
                })
            .toArray();
    Arrays.sort(nanos);
    return nanos[ROUNDS / 2];
  }
}
