// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.EventLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Executes committed instances of EPaxos, each after those that it depends on. Instances that
 * depend on each other, the strongly connected components of the graph (Tarjan, 1972), are executed
 * in their order. Used by the thread of its lane.
 */
final class ExecutionOrder {
  private final EventLog log;
  private final Map<String, Instance> committed = new HashMap<>();
  private final Set<String> executed = new HashSet<>();
  private final Map<String, Chain> chains = new TreeMap<>();

  /** Executed commands are recorded in a log. */
  ExecutionOrder(EventLog log) {
    this.log = log;
  }

  /** Adds an instance, and executes all that do not wait for others. */
  void commit(Instance instance) {
    committed.put(instance.id(), instance);
    for (String id : List.copyOf(committed.keySet())) {
      Search search = new Search();
      if (committed.containsKey(id) && search.visit(id)) {
        search.components.forEach(this::execute);
      }
    }
  }

  private void execute(List<Instance> component) {
    component.sort(Comparator.comparingInt(Instance::order).thenComparing(Instance::id));
    for (Instance instance : component) {
      committed.remove(instance.id());
      executed.add(instance.id());
      Chain chain = chains.computeIfAbsent(instance.key(), key -> new Chain("epaxos/" + key));
      chain.add(instance.command());
      log.event().set("place", chain.place()).set("head", chain.head()).record();
    }
  }

  Map<String, List<String>> chains() {
    Map<String, List<String>> commands = new TreeMap<>();
    chains.forEach((key, chain) -> commands.put("epaxos/" + key, chain.commands()));
    return commands;
  }

  /** Tarjan's search from an instance; it finds the components in the order of their execution. */
  private final class Search {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<Instance> open = new ArrayDeque<>();
    private final List<List<Instance>> components = new ArrayList<>();

    /** False if an instance on which this one depends is not committed. */
    boolean visit(String id) {
      Instance instance = committed.get(id);
      if (instance == null) {
        return false;
      }
      numbers.put(id, numbers.size());
      lowest.put(id, numbers.get(id));
      open.push(instance);
      for (String other : instance.after()) {
        if (executed.contains(other)) {
          continue;
        }
        if (!numbers.containsKey(other) && !visit(other)) {
          return false;
        }
        boolean isOpen = open.stream().anyMatch(member -> member.id().equals(other));
        if (isOpen) {
          lowest.merge(id, lowest.getOrDefault(other, 0), Math::min);
        }
      }
      if (numbers.getOrDefault(id, 0).equals(lowest.get(id))) {
        components.add(closed(id));
      }
      return true;
    }

    private List<Instance> closed(String id) {
      List<Instance> component = new ArrayList<>();
      Instance member;
      do {
        member = open.pop();
        component.add(member);
      } while (!member.id().equals(id));
      return component;
    }
  }
}
