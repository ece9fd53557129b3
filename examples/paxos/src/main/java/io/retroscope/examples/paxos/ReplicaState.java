// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a replica knows itself, without stamps. Immutable.
 *
 * @param counters such as the messages that it relayed
 * @param chains the executed commands of each chain in their order
 */
record ReplicaState(String node, Map<String, Integer> counters, Map<String, List<String>> chains) {
  ReplicaState {
    counters = Map.copyOf(counters);
    chains = Map.copyOf(chains);
  }

  int counter(String name) {
    return counters.getOrDefault(name, 0);
  }

  List<String> chain(String name) {
    return chains.getOrDefault(name, List.of());
  }

  /** The chains of a protocol. */
  Map<String, List<String>> chainsOf(String protocol) {
    Map<String, List<String>> found = new TreeMap<>(chains);
    found.keySet().removeIf(name -> !name.equals(protocol) && !name.startsWith(protocol + "/"));
    return found;
  }

  String line() {
    List<String> parts = new ArrayList<>(List.of(node));
    counters.forEach((name, count) -> parts.add("#" + name + "=" + count));
    chains.forEach((name, commands) -> parts.add(name + "=" + Message.join(commands)));
    return String.join(" ", parts);
  }

  static ReplicaState parse(String line) {
    Message parts = Message.parse(line);
    Map<String, String> values =
        parts.words().stream()
            .map(part -> part.split("=", 2))
            .collect(Collectors.toMap(part -> part[0], part -> part[1]));
    Map<String, Integer> counters = new TreeMap<>();
    Map<String, List<String>> chains = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith("#")) {
            counters.put(name.substring(1), Integer.valueOf(value));
          } else {
            chains.put(name, Message.of("", value).names(0));
          }
        });
    return new ReplicaState(parts.kind(), counters, chains);
  }
}
