package io.retroscope.server.align;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Derives reports of clock steps from contradictions: the node, the time and the size. Not
 * thread-safe.
 */
final class StepDetector {
  /*
   * One contradiction names all nodes on its cycle. If one clock stepped, it is on every cycle that
   * follows, so the nodes common to all of them are the suspects. A cycle that has no node in
   * common with earlier ones, or depends only on later evidence, starts a new case.
   */

  /** The distance from the last contradiction after which another one starts a new case. */
  static final double CASE_MICROS = 10e6;

  /** The number of reports kept; the oldest are dropped. */
  static final int MAX_STEPS = 256;

  private final Deque<ClockStep> steps = new ArrayDeque<>();
  private TreeSet<Integer> suspects = new TreeSet<>();
  private boolean open;
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
        && nodes.stream().anyMatch(suspects::contains);
  }

  /** Adds a contradiction that the newest case explains. */
  void narrow(Set<Integer> nodes, double deficitMicros, double nowMicros) {
    suspects.retainAll(nodes);
    lastMicros = nowMicros;
    ClockStep last = steps.removeLast();
    append(last.timeMicros(), Math.max(last.sizeMicros(), deficitMicros));
  }

  /**
   * Begins a case.
   *
   * @param nodes one of which stepped
   * @param toMicros the first instant that is certainly after the step
   * @param sizeMicros the minimum size of the step
   */
  void begin(Set<Integer> nodes, double toMicros, double sizeMicros, double nowMicros) {
    suspects = new TreeSet<>(nodes);
    this.toMicros = toMicros;
    lastMicros = nowMicros;
    open = true;
    append(toMicros, sizeMicros);
  }

  /** Reports a step in late evidence, which is unrelated to the newest case. */
  void past(Set<Integer> nodes, double toMicros, double sizeMicros) {
    steps.addFirst(new ClockStep(List.copyOf(new TreeSet<>(nodes)), toMicros, sizeMicros));
    if (steps.size() > MAX_STEPS) {
      steps.removeFirst();
    }
  }

  private void append(double timeMicros, double sizeMicros) {
    steps.addLast(new ClockStep(List.copyOf(suspects), timeMicros, sizeMicros));
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

  /** The nodes that may have stepped in the newest case. */
  Set<Integer> suspects() {
    return suspects;
  }

  /** The newest reports, in the order of their discovery, except for late ones. */
  List<ClockStep> steps() {
    return List.copyOf(steps);
  }
}
