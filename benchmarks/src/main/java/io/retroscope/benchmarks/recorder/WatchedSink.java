// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.recorder;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.Pace;
import io.retroscope.sink.SinkStatistics;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A sink that shows each block to a watcher before it passes it on. As thread-safe as both.
 *
 * @param sink receives the blocks, and determines the pace
 */
public record WatchedSink(EventSink sink, Consumer<EventBlock> watcher) implements EventSink {
  @Override
  public void accept(EventBlock block) {
    watcher.accept(block);
    sink.accept(block);
  }

  @Override
  public boolean flush(Duration timeout) {
    return sink.flush(timeout);
  }

  @Override
  public boolean keepsBlocks() {
    return sink.keepsBlocks();
  }

  @Override
  public SinkStatistics statistics() {
    return sink.statistics();
  }

  @Override
  public Pace pace(Pace wanted) {
    return sink.pace(wanted);
  }

  @Override
  public void close() {
    sink.close();
  }
}
