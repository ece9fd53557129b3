// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * All consistent cuts of a small execution, each a set of steps as the bits of a number. A line is
 * two steps, because it disappears before the next event.
 */
final class AllCuts {
  private final List<Step> steps = new ArrayList<>();
  private final Set<String> nodes = new HashSet<>();
  private final long first;

  /** The steps that are in each cut with a step, as bits. */
  private final long[] before;

  /** A part of an event; the second part of a line ends it. */
  private record Step(Event event, boolean second) {
    /** Whether another step is in every cut with this one. */
    boolean follows(Step other) {
      boolean sameNode = other.event.node().equals(event.node());
      boolean earlier =
          other.event.hlc() < event.hlc() || (other.event.equals(event) && second && !other.second);
      boolean sent =
          other.event.body() instanceof EventBody.Send send
              && event.body() instanceof EventBody.Receive receive
              && send.id().equals(receive.id());
      return (sameNode && earlier) || sent;
    }
  }

  /**
   * Lists the cuts of a range.
   *
   * @param from packed; all earlier events are in each cut
   * @param to packed; all later events are in no cut
   */
  AllCuts(List<Event> events, long from, long to) {
    first = from;
    for (Event event : events) {
      if (event.hlc() <= to) {
        nodes.add(event.node());
        steps.add(new Step(event, false));
        if (event.body() instanceof EventBody.LogLine) {
          steps.add(new Step(event, true));
        }
      }
    }
    before = new long[steps.size()];
    for (int i = 0; i < before.length; i++) {
      for (int j = 0; j < before.length; j++) {
        before[i] |= i != j && steps.get(i).follows(steps.get(j)) ? 1L << j : 0;
      }
    }
  }

  private long start() {
    long cut = 0;
    for (int i = 0; i < steps.size(); i++) {
      cut |= steps.get(i).event.hlc() < first ? 1L << i : 0;
    }
    return cut;
  }

  private List<Long> next(long cut) {
    List<Long> next = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      if ((cut & 1L << i) == 0 && (before[i] & ~cut) == 0) {
        next.add(cut | 1L << i);
      }
    }
    return next;
  }

  /** Returns the cuts that are reached from the start through cuts of a kind. */
  Set<Long> reached(Predicate<Long> kind) {
    Set<Long> reached = new HashSet<>();
    ArrayDeque<Long> open = new ArrayDeque<>();
    if (kind.test(start())) {
      reached.add(start());
      open.add(start());
    }
    while (!open.isEmpty()) {
      for (long cut : next(open.remove())) {
        if (kind.test(cut) && reached.add(cut)) {
          open.add(cut);
        }
      }
    }
    return reached;
  }

  long end() {
    return (1L << steps.size()) - 1;
  }

  /** Returns the values at a cut: of each variable, by node. */
  Map<String, Map<String, Value>> values(long cut) {
    Map<String, Map<String, Value>> values = new HashMap<>();
    for (String variable : List.of("x", "y", "message")) {
      values.put(variable, new TreeMap<>());
    }
    for (int i = 0; i < steps.size(); i++) {
      if ((cut & 1L << i) != 0) {
        apply(steps.get(i), values);
      }
    }
    return values;
  }

  private static void apply(Step step, Map<String, Map<String, Value>> values) {
    String node = step.event.node();
    if (step.event.body() instanceof EventBody.LogLine line) {
      if (step.second) {
        values.get("message").remove(node);
      } else {
        values.get("message").put(node, Value.of(line.message()));
      }
    } else if (step.event.body() instanceof EventBody.StateChange change) {
      Change only = change.changes().get(0);
      if (only.operation() == Operation.UNSET) {
        values.get(only.variable()).remove(node);
      } else {
        values.get(only.variable()).put(node, only.value());
      }
    }
  }

  /** Returns the stamp of each node's last event in the range and in a cut. */
  Map<String, Long> stamps(long cut) {
    Map<String, Long> stamps = new TreeMap<>();
    for (int i = 0; i < steps.size(); i++) {
      Event event = steps.get(i).event;
      if ((cut & 1L << i) != 0 && event.hlc() >= first) {
        stamps.merge(event.node(), event.hlc(), Math::max);
      }
    }
    return stamps;
  }

  /** The nodes with an event up to the end of the range. */
  Set<String> nodes() {
    return nodes;
  }
}
