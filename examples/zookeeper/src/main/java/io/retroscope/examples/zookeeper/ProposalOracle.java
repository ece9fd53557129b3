// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.DemoServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What must hold in every cut: no server has a version that the leader has not proposed. */
final class ProposalOracle {
  private ProposalOracle() {}

  static Check check(DemoServer server) {
    return check(server.events("proposal"), server.events("setd"));
  }

  /**
   * Checks events of an ensemble that was traced from its first write on.
   *
   * @param proposals of the leader
   * @param applied by all servers
   */
  static Check check(List<Event> proposals, List<Event> applied) {
    Map<String, Long> proposed = new HashMap<>();
    for (Event proposal : proposals) {
      versions(proposal)
          .forEach((znode, version) -> proposed.putIfAbsent(znode + ' ' + version, proposal.hlc()));
    }
    Map<String, Integer> counts = new TreeMap<>();
    int early = 0;
    for (Event apply : applied) {
      for (Map.Entry<String, Long> version : versions(apply).entrySet()) {
        Long cause = proposed.get(version.getKey() + ' ' + version.getValue());
        counts.merge(apply.node(), 1, Integer::sum);
        early += cause == null || cause >= apply.hlc() ? 1 : 0;
      }
    }
    return new Check(
        "no server applied a version before it was proposed (applied %s, too early %d)"
            .formatted(counts, early),
        early == 0 && counts.keySet().equals(Set.copyOf(EnsembleOptions.NODES)));
  }

  private static Map<String, Long> versions(Event event) {
    Map<String, Long> versions = new TreeMap<>();
    if (event.body() instanceof StateChange state) {
      for (Change change : state.changes()) {
        if (change.operation() == Operation.SET
            && change.value() instanceof LongValue version
            && !change.variable().equals("zxid")) {
          versions.put(change.variable(), version.value());
        }
      }
    }
    return versions;
  }
}
