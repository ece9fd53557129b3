// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.cut.walk.LocalWalk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values of variables in the last part of a history: about the last {@link #SAMPLE} events, and
 * never more than four times as many. Used by one thread.
 */
final class LatestValues {
  /** About how many events are read. */
  static final int SAMPLE = 5_000;

  private static final long MAX_EVENTS = 4L * SAMPLE;

  /** The most variables whose values are looked at. */
  private static final int MAX_VARIABLES = 500;

  /** The most values of a variable that are counted. */
  private static final int MAX_COUNTED = 16;

  private final CutState state = new CutState(Set.of());
  private final Map<VariableColumn, Seen> variables = new LinkedHashMap<>();

  /** Reads the last part of a history. */
  LatestValues(View view, HlcRange all, Set<String> logs) {
    long events = 0;
    for (LogDescription log : view.logs()) {
      if (logs.contains(log.name())) {
        events += log.eventCount();
        log.variables().stream()
            .limit(MAX_VARIABLES - (long) variables.size())
            .forEach(name -> variables.put(state.follow(log.name(), name), new Seen()));
      }
    }
    double share = Math.min(1, (double) SAMPLE / Math.max(1, events));
    long from = all.to() - (long) (share * (all.to() - all.from()));
    LocalWalk walk = new LocalWalk(state, Interest.inAll(logs), new Listener());
    if (from > HlcTimestamp.MIN_PACKED) {
      walk.start(view, from);
    }
    walk.walk(view, new HlcRange(from, all.to()));
  }

  /** The variables, in the order of the logs and their names. */
  List<VariableColumn> variables() {
    return List.copyOf(variables.keySet());
  }

  /** The changes of one of the variables. */
  Seen of(VariableColumn variable) {
    return variables.getOrDefault(variable, new Seen());
  }

  /** The last value of any node; null if none has one. */
  @Nullable Value value(VariableColumn variable) {
    for (int node = 0; node < state.nodes().size(); node++) {
      Value value = variable.at(node);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  /** The changes that were seen of one variable. */
  static final class Seen {
    private int changes;
    private int equal;
    private final List<Double> apart = new ArrayList<>();
    private final Map<Value, int[]> holders = new LinkedHashMap<>();
    private int shared;
    private double greatest;

    /** How often a node's value was written. */
    int changes() {
      return changes;
    }

    /** Whether the nodes that had a value agreed at some times, and differed at others. */
    boolean differsAtTimes() {
      return equal > 0 && equal < shared;
    }

    /** The greatest finite number, whatever its sign. */
    double greatest() {
      return greatest;
    }

    /** The greatest finite difference between the nodes' numbers. */
    double mostApart() {
      return apart.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    /** A difference that only the widest twentieth of the changes had; empty if none differed. */
    Optional<Double> farApart() {
      List<Double> sorted = apart.stream().sorted().toList();
      double usual = sorted.isEmpty() ? 0 : sorted.get((int) (sorted.size() * 0.95));
      return usual > 0
          ? Optional.of(usual)
          : sorted.stream().filter(difference -> difference > 0).findFirst();
    }

    /** A value that one node had nearly always, and never several for long; empty if none. */
    Optional<Value> ofOneNode() {
      return holders.entrySet().stream()
          .filter(value -> shared >= 10 && value.getValue()[1] >= 0.9 * shared)
          .map(Map.Entry::getKey)
          .findFirst();
    }

    private void change(VariableColumn variable, int nodes) {
      changes++;
      if (variable.present() < 2) {
        return;
      }
      shared++;
      Map<Value, Integer> now = new HashMap<>();
      double least = Double.POSITIVE_INFINITY;
      double most = Double.NEGATIVE_INFINITY;
      for (int node = 0; node < nodes; node++) {
        Value value = variable.at(node);
        if (value != null) {
          now.merge(value, 1, Integer::sum);
          double number = number(value);
          least = Math.min(least, number);
          most = Math.max(most, number);
        }
      }
      equal += now.size() == 1 ? 1 : 0;
      if (Double.isFinite(most - least)) {
        apart.add(most - least);
        greatest = Math.max(greatest, Math.max(Math.abs(least), Math.abs(most)));
      }
      now.forEach(this::count);
    }

    private void count(Value value, int nodes) {
      if (holders.containsKey(value) || holders.size() < MAX_COUNTED) {
        holders.computeIfAbsent(value, added -> new int[2])[nodes == 1 ? 1 : 0]++;
      }
    }

    private static double number(Value value) {
      return value instanceof NumberValue number ? number.nearest() : Double.NaN;
    }
  }

  /** Counts the changes. */
  private final class Listener implements LocalWalk.Listener {
    private long read;

    @Override
    public void earlier(EventBlock block, int row) {}

    @Override
    public boolean before(EventBlock block, int row) {
      return ++read < MAX_EVENTS;
    }

    @Override
    public void changed(int node, long hlc) {
      for (VariableColumn variable : state.touched()) {
        Seen seen = variables.get(variable);
        if (seen != null && variable.holdsState()) {
          seen.change(variable, state.nodes().size());
        }
      }
    }

    @Override
    public void after(EventBlock block, int row) {}

    @Override
    public void warning(EventWarning warning) {}
  }
}
