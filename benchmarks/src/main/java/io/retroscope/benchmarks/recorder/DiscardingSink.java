// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.recorder;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import java.time.Duration;

/** A sink that discards every block. */
final class DiscardingSink implements EventSink {
  @Override
  public void accept(EventBlock block) {}

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
