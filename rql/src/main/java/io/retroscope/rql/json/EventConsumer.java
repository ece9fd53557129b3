// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import java.io.IOException;

/** A consumer of events and of reports of lost events. */
public interface EventConsumer {
  /** Takes the next event. */
  void event(Event event) throws IOException;

  /** Takes the next event, which is valid only during this call. */
  default void line(EventLine line) throws IOException {
    event(line.event());
  }

  /** Takes a loss, which may come before or after the events around it. */
  void gap(Gap gap) throws IOException;

  /** Takes another reason why the events may be incomplete. */
  void incomplete(Incompleteness reason) throws IOException;
}
