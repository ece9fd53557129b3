// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.Presence.Stay;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How far the events of a run of a node are known, if the run has not ended. A run ends with its
 * stop, with the next start of its node, or if the node is forgotten.
 *
 * @param hlc packed: all events of the run up to here are stored or known to be lost
 * @param assuredMicros how long after it the run does not count as silent, by the heartbeats that
 *     it promised; 0 if it promised none
 * @param missingBlocks the number of blocks that must arrive before {@code hlc} grows
 */
public record NodeFrontier(String node, long hlc, long assuredMicros, long missingBlocks) {
  /** The frontiers of the nodes of a file: of each that has not stopped, its last sighting. */
  static List<NodeFrontier> ofSightings(View view) {
    Map<String, Stay> last = new HashMap<>();
    for (Presence presence : view.presences()) {
      Optional<Stay> stay = presence.latest(Long.MAX_VALUE);
      stay.filter(found -> found.assuredMicros() > 0)
          .ifPresent(found -> last.put(presence.node(), found));
    }
    List<NodeFrontier> frontiers = new ArrayList<>();
    if (!last.isEmpty()) {
      Map<String, Boolean> stopped = stopped(view);
      last.forEach(
          (node, stay) -> {
            if (!stopped.getOrDefault(node, false)) {
              frontiers.add(new NodeFrontier(node, stay.to(), stay.assuredMicros(), 0));
            }
          });
    }
    return frontiers;
  }

  /** Whether the last of the starts and stops of each node is a stop. */
  private static Map<String, Boolean> stopped(View view) {
    Map<String, Boolean> stopped = new HashMap<>();
    Iterator<Event> lifetimes = view.scan(Set.of(), HlcRange.ALL);
    while (lifetimes.hasNext()) {
      Event event = lifetimes.next();
      stopped.put(event.node(), event.body() instanceof EventBody.Stop);
    }
    return stopped;
  }
}
