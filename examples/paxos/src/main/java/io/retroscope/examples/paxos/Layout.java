// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The zones, each a process, and the nodes in them: 25 replicas, and a client in each zone. */
final class Layout {
  static final List<String> ZONES = List.of("z0", "z1", "z2", "z3");

  /** The replicas of each zone but the first, which has one. */
  static final int GROUP_SIZE = 8;

  static final List<String> REPLICAS =
      IntStream.range(0, 1 + (ZONES.size() - 1) * GROUP_SIZE).mapToObj(Layout::replica).toList();

  static final int MAJORITY = REPLICAS.size() / 2 + 1;

  private Layout() {}

  static String replica(int index) {
    return "r%02d".formatted(index);
  }

  /** The number in the name of a replica. */
  static int index(String replica) {
    return Integer.parseInt(replica.substring(1));
  }

  static String client(String zone) {
    return "c" + zone.substring(1);
  }

  static List<String> clients() {
    return ZONES.stream().map(Layout::client).toList();
  }

  static List<String> replicas(String zone) {
    return REPLICAS.stream().filter(replica -> zoneOf(replica).equals(zone)).toList();
  }

  static List<String> nodes(String zone) {
    return Stream.concat(Stream.of(client(zone)), replicas(zone).stream()).toList();
  }

  /** The zone of a replica or a client. */
  static String zoneOf(String node) {
    return node.startsWith("c")
        ? "z" + node.substring(1)
        : ZONES.get((index(node) + GROUP_SIZE - 1) / GROUP_SIZE);
  }

  /** The replicas without one, by zone. */
  static List<List<String>> groupsWithout(String replica) {
    return ZONES.stream()
        .map(zone -> replicas(zone).stream().filter(other -> !other.equals(replica)).toList())
        .filter(group -> !group.isEmpty())
        .toList();
  }

  /** The port of each node, which is that of its zone. */
  static Map<String, Integer> portsByNode(List<Integer> portsByZone) {
    Map<String, Integer> ports = new TreeMap<>();
    for (int i = 0; i < ZONES.size(); i++) {
      for (String node : nodes(ZONES.get(i))) {
        ports.put(node, portsByZone.get(i));
      }
    }
    return ports;
  }
}
