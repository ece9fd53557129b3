// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.util.Map;

/** A measure of the memory that an event's texts take. */
final class EventSize {
  private static final EventBody.Visitor<Long> TEXTS =
      new EventBody.Visitor<>() {
        @Override
        public Long stateChange(EventBody.StateChange state) {
          long sum = 0;
          for (EventBody.Change change : state.changes()) {
            sum += change.variable().length() + length(change.value());
          }
          return sum;
        }

        @Override
        public Long logLine(EventBody.LogLine line) {
          long sum = line.message().length();
          for (Map.Entry<String, Value> field : line.fields().entrySet()) {
            sum += field.getKey().length() + length(field.getValue());
          }
          return sum;
        }

        @Override
        public Long send(EventBody.Send send) {
          return (long) send.to().length() + send.id().length();
        }

        @Override
        public Long receive(EventBody.Receive receive) {
          return (long) receive.from().length() + receive.id().length();
        }

        @Override
        public Long heartbeat(EventBody.Heartbeat heartbeat) {
          return 0L;
        }

        @Override
        public Long start(EventBody.Start start) {
          return (long) start.incarnation().length() + start.predecessor().length();
        }

        @Override
        public Long stop(EventBody.Stop stop) {
          return 0L;
        }
      };

  private EventSize() {}

  /** The number of characters of all texts, about. */
  static long textLength(EventBody body) {
    return body.accept(TEXTS);
  }

  private static long length(Value value) {
    if (value instanceof Value.StringValue text) {
      return text.value().length();
    }
    return value instanceof Value.LongValue ? 0 : value.toString().length();
  }
}
