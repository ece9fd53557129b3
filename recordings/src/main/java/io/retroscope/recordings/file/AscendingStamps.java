// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A consumer that passes events on and follows whether the stamps of each node ascend. If they do,
 * no two are equal. Used by one thread.
 */
public final class AscendingStamps implements EventConsumer {
  private final EventConsumer next;
  private final Map<String, Long> last = new HashMap<>();
  private boolean ascend = true;

  /** Creates a consumer before another one. */
  public AscendingStamps(EventConsumer next) {
    this.next = next;
  }

  /** Whether each event had a higher stamp than all before of its node. */
  public boolean ascend() {
    return ascend;
  }

  @Override
  public void event(Event event) throws IOException {
    if (StampClash.hasOwnStamp(event)) {
      see(event.node(), event.hlc());
    }
    next.event(event);
  }

  @Override
  public void line(EventLine line) throws IOException {
    if (line.kind() != EventKind.HEARTBEAT) {
      see(line.node(), line.hlc());
    }
    next.line(line);
  }

  private void see(String node, long hlc) {
    Long before = last.put(node, hlc);
    ascend &= before == null || before < hlc;
  }

  @Override
  public void gap(Gap gap) throws IOException {
    next.gap(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) throws IOException {
    next.incomplete(reason);
  }
}
