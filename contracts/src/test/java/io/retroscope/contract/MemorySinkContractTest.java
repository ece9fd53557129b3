// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import java.util.List;

class MemorySinkContractTest extends EventSinkContract {
  private final MemorySink sink = new MemorySink();

  @Override
  protected EventSink open() {
    return sink;
  }

  @Override
  protected List<EventBlock> delivered() {
    return sink.blocks();
  }
}
