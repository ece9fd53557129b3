// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.server.align.StepGaps.Gap;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Derives reports of clock steps from contradictions: the node, the time and the size. Not
 * thread-safe.
 */
final class StepDetector {
  /*
   * One contradiction names all nodes on its cycle. If one clock stepped, it is on every cycle that
   * follows, so the nodes common to all of them are the suspects. A cycle that has no node in
   * common with earlier ones, or depends only on later evidence, starts a new case. A node that
   * kept its distance from others did not step either.
   */

  /** The distance from the last contradiction after which another one starts a new case. */
  static final double CASE_MICROS = 10e6;

  /** The number of reports kept; the oldest are dropped. */
  static final int MAX_STEPS = 256;

  private final Deque<ClockStep> steps = new ArrayDeque<>();

  /** The nodes that may have stepped, each with the place of its step among its own stamps. */
  private TreeMap<Integer, Gap> suspects = new TreeMap<>();

  private boolean open;
  private double startMicros;
  private double toMicros = Double.NEGATIVE_INFINITY;
  private double lastMicros = Double.NEGATIVE_INFINITY;

  /**
   * Whether the step of the newest case may also be the cause of a contradiction.
   *
   * @param nodes on its cycle
   * @param fromMicros the time of its oldest evidence
   */
  boolean explains(Set<Integer> nodes, double fromMicros, double nowMicros) {
    return nowMicros - lastMicros <= CASE_MICROS
        && fromMicros <= toMicros
        && nodes.stream().anyMatch(suspects::containsKey);
  }

  /** Adds a contradiction that the newest case explains. */
  void narrow(Set<Integer> nodes, double deficitMicros, double nowMicros) {
    suspects.keySet().retainAll(nodes);
    lastMicros = nowMicros;
    append(Math.max(steps.removeLast().sizeMicros(), deficitMicros));
  }

  /**
   * Begins a case.
   *
   * @param places the nodes one of which stepped, each with the interval of its own stamps in which
   *     it did
   * @param sizeMicros the minimum size of the step
   */
  void begin(Map<Integer, Gap> places, double sizeMicros, double nowMicros) {
    suspects = new TreeMap<>(places);
    startMicros = places.values().stream().mapToDouble(Gap::fromMicros).min().orElse(nowMicros);
    toMicros = endMicros();
    lastMicros = nowMicros;
    open = true;
    append(sizeMicros);
  }

  /** Clears nodes of the newest case that did not step. */
  void clear(Set<Integer> nodes) {
    suspects.keySet().removeAll(nodes);
    append(steps.removeLast().sizeMicros());
  }

  /** The least size of the step of the newest case. */
  double sizeMicros() {
    return steps.getLast().sizeMicros();
  }

  /** The last instant that is certainly before the step, whichever node's it is. */
  double startMicros() {
    return startMicros;
  }

  /** The first instant that is certainly after the step, whichever node's it is. */
  private double endMicros() {
    return suspects.values().stream()
        .mapToDouble(Gap::toMicros)
        .max()
        .orElse(Double.NEGATIVE_INFINITY);
  }

  /** Reports a step in late evidence, which is unrelated to the newest case. */
  void past(Set<Integer> nodes, double toMicros, double sizeMicros) {
    steps.addFirst(new ClockStep(List.copyOf(new TreeSet<>(nodes)), toMicros, sizeMicros));
    if (steps.size() > MAX_STEPS) {
      steps.removeFirst();
    }
  }

  private void append(double sizeMicros) {
    steps.addLast(new ClockStep(List.copyOf(suspects.keySet()), endMicros(), sizeMicros));
    if (steps.size() > MAX_STEPS) {
      steps.removeFirst();
    }
  }

  /** Ends the search for the node among the suspects. */
  void close() {
    open = false;
  }

  /** Whether there is more than one suspect, or the node has not been reported yet. */
  boolean isOpen() {
    return open;
  }

  /**
   * Whether an open case should be closed: one suspect is left, or no further evidence can decide.
   */
  boolean isDue(double nowMicros) {
    return open && (suspects.size() == 1 || nowMicros - lastMicros > CASE_MICROS);
  }

  /** The nodes that may have stepped in the newest case, with the places of their steps. */
  Map<Integer, Gap> suspects() {
    return suspects;
  }

  /** The newest reports, in the order of their discovery, except for late ones. */
  List<ClockStep> steps() {
    return List.copyOf(steps);
  }
}
