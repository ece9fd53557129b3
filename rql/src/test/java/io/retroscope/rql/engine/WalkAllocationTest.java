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
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a walk makes no object per cut that a quiet rule passes over. */
class WalkAllocationTest {
  private static final int EVENTS = 200_000;

  @Test
  void run_quietCuts_allocatesNothingPerCut() {
    List<Event> events = new ArrayList<>(EVENTS);
    for (int i = 0; i < EVENTS; i++) {
      Change set = new Change(Operation.SET, "x", Value.of(i / 3));
      long hlc = HlcTimestamp.pack(1_000_000L + i);
      events.add(new Event("n" + i % 3, "t", hlc, new StateChange(List.of(set))));
    }
    QueryEngine engine =
        new QueryEngine(new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    PreparedQuery query = engine.prepare("SELECT x FROM t WHEN SPREAD(x) > 5 OR x@n1 < -3;");
    engine.run(query, new NoRows());
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    engine.run(query, new NoRows());
    long bytes = thread.getCurrentThreadAllocatedBytes() - before;
    // The window's arrays and the plan remain.
    assertThat((double) bytes / EVENTS).as("bytes per event").isLessThan(8);
  }
}
