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
 * Everything decided: the parts of a recorder.
 *
 * @param problems settings that are wrong, and what is done instead
 * @param caveats what answers over this node must warn of
 * @param silence why nothing can be recorded; empty if it can
 * @param trustRemote see {@link RecorderBuilder#trustRemote}
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
    boolean jmx) {
  boolean isSilent() {
    return !silence.isEmpty();
  }
}
