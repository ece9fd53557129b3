// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import java.time.Duration;

/** The sink of a recorder that cannot record. */
final class SilentSink implements EventSink {
  @Override
  public void accept(EventBlock block) {}

  @Override
  public boolean flush(Duration timeout) {
    return false;
  }

  @Override
  public void close() {}
}
