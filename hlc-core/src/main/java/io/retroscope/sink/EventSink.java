package io.retroscope.sink;

import io.retroscope.event.EventBlock;
import java.time.Duration;

/**
 * Takes the blocks that a recorder seals. One thread calls {@link #accept}; the other methods may
 * come from any thread.
 */
public interface EventSink extends AutoCloseable {
  /**
   * Takes a block. Returns soon and holds a bounded amount of memory: what has no room is
   * discarded, counted, and declared lost where the sink can say so. Empty blocks are heartbeats
   * and may be skipped when a later block is at hand.
   *
   * @throws RuntimeException if the block cannot be taken; the recorder counts it as lost
   */
  void accept(EventBlock block);

  /**
   * Waits until everything accepted so far has arrived where the sink delivers to. After {@link
   * #close} it waits no longer, and only says so.
   *
   * @return false if that had not happened when the time was up
   */
  boolean flush(Duration timeout);

  /**
   * Whether a block with events is looked at after {@link #accept} has returned. If not, its memory
   * is used for the next block, so that recording leaves no garbage. Always gives the same answer.
   */
  default boolean keepsBlocks() {
    return true;
  }

  /** Whether what is undelivered at {@link #close} is kept, for the next process to deliver. */
  default boolean keepsUndelivered() {
    return false;
  }

  /** Losses and failures so far; also after {@link #close}. */
  default SinkStatistics statistics() {
    return SinkStatistics.NONE;
  }

  /**
   * The pace at which the recorder is to hand blocks over now. Called often by the thread that
   * calls {@link #accept}; the recorder follows within some 20 ms.
   *
   * @param wanted what the service has set, or the default
   */
  default Pace pace(Pace wanted) {
    return wanted;
  }

  /** Delivers what it can within a limit of its own, then lets go of everything. Idempotent. */
  @Override
  void close();
}
