// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.EventBody;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.Pace;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a recorder, with all settings resolved.
 *
 * @param problems invalid settings, and the fallbacks used instead
 * @param caveats warnings for query results about this node
 * @param silence the reason why nothing can be recorded; empty if the recorder records
 * @param trustRemote see {@link RecorderBuilder#trustRemote}
 * @param sample the messages that are recorded
 * @param jmx whether the recorder is visible over JMX
 */
record RecorderPlan(
    String node,
    HybridLogicalClock clock,
    EventSink sink,
    int ringCapacity,
    long ringMaxBytes,
    int maxTextLength,
    Pace pace,
    Duration closeTimeout,
    EventBody.Start start,
    @Nullable NodeState state,
    LongSupplier nanos,
    List<String> problems,
    List<String> caveats,
    String silence,
    boolean trustRemote,
    MessageSample sample,
    boolean jmx) {
  boolean isSilent() {
    return !silence.isEmpty();
  }
}
