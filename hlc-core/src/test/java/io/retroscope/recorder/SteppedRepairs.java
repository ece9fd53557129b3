// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody.Operation;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Repairs that run another thread's steps before a step of a writer or the drainer. */
final class SteppedRepairs extends Repairs {
  private Runnable beforeSupersede = () -> {};
  private Runnable beforeEntries = () -> {};

  SteppedRepairs(LongAdder unrepaired, long maxBytes) {
    super(unrepaired, maxBytes);
  }

  void beforeNextSupersede(Runnable steps) {
    beforeSupersede = steps;
  }

  void beforeNextEntries(Runnable steps) {
    beforeEntries = steps;
  }

  @Override
  void supersede(VariableHandle variable, Operation operation, @Nullable Object value) {
    Runnable steps = beforeSupersede;
    beforeSupersede = () -> {};
    steps.run();
    super.supersede(variable, operation, value);
  }

  @Override
  Iterable<Map.Entry<VariableHandle, Pending>> entries() {
    Runnable steps = beforeEntries;
    beforeEntries = () -> {};
    steps.run();
    return super.entries();
  }
}
