// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A consumer that passes the events of one file on, and remarks starts of nodes whose stamps are
 * below those of events before them in the file: a program appends to it, so the node's clock was
 * older after a restart. Used by one thread.
 */
final class OlderStarts implements EventConsumer {
  private static final int MAX_REMARKS = 20;

  private final EventConsumer next;
  private final Map<String, long[]> highest = new HashMap<>();
  private final Set<String> remarked = new HashSet<>();

  OlderStarts(EventConsumer next) {
    this.next = next;
  }

  @Override
  public void event(Event event) throws IOException {
    see(event.node(), event.hlc(), event.body() instanceof EventBody.Start);
    next.event(event);
  }

  @Override
  public void line(EventLine line) throws IOException {
    see(line.node(), line.hlc(), line.kind() == EventKind.START);
    next.line(line);
  }

  private void see(String node, long hlc, boolean isStart) throws IOException {
    long[] ofNode = highest.computeIfAbsent(node, n -> new long[] {hlc});
    long before = ofNode[0];
    ofNode[0] = Math.max(before, hlc);
    boolean isOlder = isStart && before > hlc;
    if (isOlder && remarked.size() < MAX_REMARKS && remarked.add(node)) {
      next.incomplete(
          new Incompleteness.Remarked(
              "node %s: its start at %s comes after its events up to %s in the file: if its clock was older after a restart, values from before the restart replace later ones"
                  .formatted(
                      node,
                      HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc)),
                      HlcTimestamp.isoMicros(HlcTimestamp.micros(before)))));
    }
  }

  @Override
  public void gap(Gap gap) throws IOException {
    next.gap(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) throws IOException {
    next.incomplete(reason);
  }
}
