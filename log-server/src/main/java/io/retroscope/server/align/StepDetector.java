package io.retroscope.server.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;

/**
 * Makes reports of clock steps out of contradictions: which node it was, when, and how large. Not
 * thread-safe.
 */
final class StepDetector {
  /*
   * One contradiction names all nodes on its cycle. If one clock stepped, it is on every cycle that follows, so
   * the nodes common to all of them are the suspects. What is common to nothing before starts a new case.
   */

  /** Contradictions this much later than the last one are another case. */
  static final double CASE_MICROS = 10e6;

  /** Reports kept; the oldest go. */
  static final int MAX_STEPS = 256;

  private final Deque<ClockStep> steps = new ArrayDeque<>();
  private TreeSet<Integer> suspects = new TreeSet<>();
  private double firstMicros;
  private double lastMicros = Double.NEGATIVE_INFINITY;

  /**
   * Takes a contradiction.
   *
   * @param cycle the bounds that contradict each other
   * @param deficitMicros by how much, more than 0
   * @return the node that stepped, where this contradiction was the one that told
   */
  OptionalInt contradiction(List<Bound> cycle, double deficitMicros, double now) {
    TreeSet<Integer> nodes = new TreeSet<>();
    cycle.forEach(bound -> nodes.add(bound.head()));
    TreeSet<Integer> common = new TreeSet<>(suspects);
    common.retainAll(nodes);
    boolean sameCase = now - lastMicros <= CASE_MICROS && !common.isEmpty();
    boolean wasKnown = sameCase && suspects.size() == 1;
    double size = deficitMicros;
    if (sameCase) {
      size = Math.max(size, steps.removeLast().sizeMicros());
      suspects = common;
    } else {
      firstMicros = now;
      suspects = nodes;
    }
    lastMicros = now;
    append(new ClockStep(new ArrayList<>(suspects), firstMicros, size));
    return suspects.size() == 1 && !wasKnown
        ? OptionalInt.of(suspects.first())
        : OptionalInt.empty();
  }

  /** Takes a step that a node's own readings show. */
  void seen(int node, double sizeMicros, double now) {
    suspects = new TreeSet<>(List.of(node));
    firstMicros = now;
    lastMicros = now;
    append(new ClockStep(List.of(node), now, sizeMicros));
  }

  private void append(ClockStep step) {
    steps.addLast(step);
    if (steps.size() > MAX_STEPS) {
      steps.removeFirst();
    }
  }

  /** When the first contradiction of the newest case came. */
  double firstMicros() {
    return firstMicros;
  }

  /** The newest reports, oldest first. */
  List<ClockStep> steps() {
    return List.copyOf(steps);
  }
}
