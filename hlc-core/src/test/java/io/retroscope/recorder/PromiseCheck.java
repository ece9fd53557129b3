// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A sink that checks each block against the promises of all blocks before it. */
final class PromiseCheck implements EventSink {
  private final List<String> violations = new ArrayList<>();
  private long promised = EventBlock.NO_HEARTBEAT;
  private long promiseCount;
  private long eventCount;
  private long lastNumber;

  @Override
  public synchronized void accept(EventBlock block) {
    if (!block.isEmpty() && block.firstHlc() <= promised) {
      violations.add("promised " + promised + ", then came " + block.firstHlc() + " in " + block);
    }
    if (block.heartbeat() < promised) {
      violations.add("promised " + promised + ", then only " + block.heartbeat());
    }
    if (block.number() != lastNumber + (block.isEmpty() ? 0 : 1)) {
      violations.add("number " + block.number() + " after " + lastNumber);
    }
    promiseCount += block.heartbeat() > promised ? 1 : 0;
    promised = Math.max(promised, block.heartbeat());
    lastNumber = block.number();
    eventCount += block.size();
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  synchronized long promiseCount() {
    return promiseCount;
  }

  synchronized long eventCount() {
    return eventCount;
  }

  @Override
  public boolean keepsBlocks() {
    return false;
  }

  @Override
  public boolean flush(Duration timeout) {
    return true;
  }

  @Override
  public void close() {}
}
