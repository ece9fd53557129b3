// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;

/** A reader of the caveats in a recorder's events. */
final class Caveats {
  private Caveats() {}

  /** The caveats that were recorded so far and not cleared. */
  static Set<String> of(Recorder recorder, MemorySink sink) {
    if (!recorder.flush(Duration.ofSeconds(10))) {
      throw new AssertionError("the recorder does not deliver");
    }
    Set<String> caveats = new LinkedHashSet<>();
    sink.events().stream()
        .filter(event -> event.log().equals("retroscope"))
        .sorted(Comparator.comparingLong(Event::sequence))
        .flatMap(event -> ((StateChange) event.body()).changes().stream())
        .forEach(change -> apply(change, caveats));
    return caveats;
  }

  private static void apply(Change change, Set<String> caveats) {
    for (var text : ((SetValue) change.value()).elements()) {
      String caveat = ((StringValue) text).value();
      if (change.operation() == Operation.ADD) {
        caveats.add(caveat);
      } else {
        caveats.remove(caveat);
      }
    }
  }
}
