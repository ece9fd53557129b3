// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.NodeAlignment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a run left in the log server, for its oracle. Thread-safe. */
public final class History {
  private final DemoServer server;

  /** The records of a server. */
  public History(DemoServer server) {
    this.server = server;
  }

  /**
   * A variable's new value.
   *
   * @param hlc the packed stamp
   */
  public record Assignment(long hlc, String node, Value value) {
    /** Microseconds since 1970 by the hybrid clock. */
    public long micros() {
      return HlcTimestamp.micros(hlc);
    }
  }

  /** The rows of a statement over the past. */
  public List<Match> rows(String rql) throws StageException, IOException {
    return server.run(rql);
  }

  /** The stretches over which a question's condition held. */
  public List<Match> intervals(Question question) throws StageException, IOException {
    return server.run(question.intervals());
  }

  /** The offsets of the nodes' clocks as the log server estimates them. */
  public List<NodeAlignment> alignment() {
    return server.alignment();
  }

  /** The node to whose clock the offsets are relative. */
  public Optional<String> driverNode() {
    return server.driverNode();
  }

  /** All events of a log in the order of their stamps. */
  public List<Event> events(String log) {
    return server.events(log);
  }

  /** All assignments of a variable in the order of their stamps. */
  public List<Assignment> assignments(String log, String variable) {
    List<Assignment> found = new ArrayList<>();
    for (Event event : events(log)) {
      if (event.body() instanceof StateChange state) {
        for (Change change : state.changes()) {
          if (change.operation() == Operation.SET && change.variable().equals(variable)) {
            found.add(new Assignment(event.hlc(), event.node(), change.value()));
          }
        }
      }
    }
    return found;
  }
}
