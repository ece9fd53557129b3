// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.EventBlock;
import java.time.Duration;

/**
 * A receiver of the blocks that a recorder seals. One thread calls {@link #accept}; any thread may
 * call the other methods.
 */
public interface EventSink extends AutoCloseable {
  /**
   * Accepts a block. Returns quickly and uses a bounded amount of memory: blocks beyond that are
   * discarded, counted, and declared lost if the sink supports it. Empty blocks are heartbeats and
   * may be skipped if a later block is available.
   *
   * @throws RuntimeException if the block cannot be accepted; the recorder counts it as lost
   */
  void accept(EventBlock block);

  /**
   * Waits until everything accepted so far has been delivered. After {@link #close} it does not
   * wait and only returns the state.
   *
   * @return false if the timeout elapsed first
   */
  boolean flush(Duration timeout);

  /**
   * Whether the sink accesses a block with events after {@link #accept} has returned. If not, its
   * memory is reused for the next block, so that recording creates no garbage. The result never
   * changes.
   */
  default boolean keepsBlocks() {
    return true;
  }

  /**
   * Whether blocks that are undelivered at {@link #close} are kept for the next process to deliver.
   */
  default boolean keepsUndelivered() {
    return false;
  }

  /** The losses and failures so far; also available after {@link #close}. */
  default SinkStatistics statistics() {
    return SinkStatistics.NONE;
  }

  /**
   * The current pace at which the recorder should deliver blocks. Called often by the thread that
   * calls {@link #accept}; the recorder adapts within about 20 ms.
   *
   * @param wanted the pace configured by the service, or the default
   */
  default Pace pace(Pace wanted) {
    return wanted;
  }

  /**
   * Delivers what it can within the sink's own time limit, then releases all resources. Idempotent.
   */
  @Override
  void close();
}
