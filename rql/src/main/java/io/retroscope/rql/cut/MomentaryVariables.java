// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The names of the variables that log lines and messages set for exactly their own stamp. */
public final class MomentaryVariables {
  /** The text of a log line, a STRING. */
  public static final String MESSAGE = "message";

  /**
   * The key-value pairs of a log line, a STRUCT. Each pair is also a variable of its own, unless
   * its name is one of these.
   */
  public static final String FIELDS = "fields";

  /** A message that is sent, a STRUCT of {@code to} and {@code id}. */
  public static final String SEND = "send";

  /** A message that is received, a STRUCT of {@code from} and {@code id}. */
  public static final String RECEIVE = "receive";

  /** All of these names. */
  public static final Set<String> ALL = Set.of(MESSAGE, FIELDS, SEND, RECEIVE);

  /** The values of {@link #of}. */
  private static final EventBody.Visitor<Map<String, Value>> VALUES =
      new EventBody.Visitor<>() {
        @Override
        public Map<String, Value> stateChange(EventBody.StateChange state) {
          return Map.of();
        }

        @Override
        public Map<String, Value> logLine(EventBody.LogLine line) {
          Map<String, Value> values = new LinkedHashMap<>();
          values.put(MESSAGE, Value.of(line.message()));
          line.fields()
              .forEach(
                  (name, value) -> {
                    if (isVariable(name)) {
                      values.put(name, value);
                    }
                  });
          return values;
        }

        @Override
        public Map<String, Value> send(EventBody.Send send) {
          return Map.of(SEND, message("to", send.to(), send.id()));
        }

        @Override
        public Map<String, Value> receive(EventBody.Receive receive) {
          return Map.of(RECEIVE, message("from", receive.from(), receive.id()));
        }

        @Override
        public Map<String, Value> heartbeat(EventBody.Heartbeat heartbeat) {
          return Map.of();
        }

        @Override
        public Map<String, Value> start(EventBody.Start start) {
          return Map.of();
        }

        @Override
        public Map<String, Value> stop(EventBody.Stop stop) {
          return Map.of();
        }
      };

  private MomentaryVariables() {}

  /**
   * Returns the values that an event sets for its own stamp, without {@link #FIELDS}, which repeats
   * those of a log line's pairs.
   */
  public static Map<String, Value> of(EventBody body) {
    return body.accept(VALUES);
  }

  private static Value message(String peerField, String peer, String id) {
    Map<String, Value> fields = new LinkedHashMap<>();
    if (!peer.isEmpty()) {
      fields.put(peerField, Value.of(peer));
    }
    fields.put("id", Value.of(id));
    return new StructValue(fields);
  }

  /**
   * Returns whether a log line's pair of this name is a variable of its own. A pair with one of the
   * names above is available only through {@link #FIELDS}.
   */
  public static boolean isVariable(String pair) {
    return !ALL.contains(pair);
  }
}
