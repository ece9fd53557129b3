// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.server.align.StepGaps.Gap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes the offsets of all clocks from bounds between pairs. It keeps the best evidence for each
 * ordered pair and ages it. If evidence contradicts itself, it drops the part that may be older
 * than a step. Not thread-safe.
 *
 * <p>Nodes are indices from 0. Times are microseconds on one common scale with any origin.
 */
final class OffsetEstimator {
  /*
   * All evidence of a pair ages at the same rate, so for instants after all of it the best evidence
   * keeps its rank: one point per pair is enough for the present, and a new one costs a comparison.
   * A trail of points serves the past.
   *
   * A contradiction means that some clock on its cycle stepped after the oldest of its evidence and
   * not after the newest. Further contradictions from the same old evidence identify the clock, so
   * that evidence is kept for a while; until then no clock on the cycle is trusted, and offsets
   * depend only on evidence since the step. The time in between is a gap in those nodes' history:
   * no evidence counts inside it or across it.
   */

  /**
   * The age beyond which late evidence is checked against that of its own time; streams from nodes
   * overlap by less.
   */
  private static final double LATE_MICROS = 2e6;

  private static final int MIN_SLICES_PER_PAIR = 64;
  private static final int MAX_SLICES_PER_PAIR = 8192;

  /** The rate at which bounds loosen, as a ratio. */
  private final double rho;

  private final int maxHistorySlices;
  private final ConstraintGraph graph;
  private final StepDetector stepDetector = new StepDetector();
  private final List<Pair> pairs = new ArrayList<>();
  private @Nullable Pair[][] pairOf = new Pair[0][];
  private double[] trustedSinceMicros = new double[0];
  private final StepGaps gaps = new StepGaps();
  private double lagMicros;

  private final StepPlaces places;

  /** The instant of the newest evidence, which may be later than it seems. */
  private double newestMicros = Double.NEGATIVE_INFINITY;

  private double nowMicros = Double.NEGATIVE_INFINITY;
  private int untilComparison;

  /** Where, within an interval of a node's own instants, its clock may have stepped forward. */
  interface StepPlaces {
    Gap narrowed(int node, Gap gap, double sizeMicros);
  }

  /** The evidence for one ordered pair. */
  private static final class Pair {
    private final int tail;
    private final int head;
    private final EvidenceTrail trail;
    private @Nullable Bound newest;
    private double newestSentMicros;

    /** The best evidence since the open case's step. */
    private @Nullable Bound sinceStep;

    private double sinceStepSentMicros;

    Pair(int tail, int head, double rho) {
      this.tail = tail;
      this.head = head;
      this.trail = new EvidenceTrail(rho);
    }
  }

  /**
   * An estimator without evidence.
   *
   * @param rho bound on the relative rate of two clocks, as a ratio
   * @param maxHistorySlices the number of summaries of the past kept for all pairs together, unless
   *     {@value #MIN_SLICES_PER_PAIR} per pair exceed it
   */
  OffsetEstimator(double rho, int maxHistorySlices) {
    this(rho, maxHistorySlices, (node, gap, sizeMicros) -> gap);
  }

  /**
   * An estimator without evidence, for nodes whose readings show where a step may be.
   *
   * @param maxHistorySlices as in the other constructor
   */
  OffsetEstimator(double rho, int maxHistorySlices, StepPlaces places) {
    this.rho = rho;
    this.maxHistorySlices = maxHistorySlices;
    this.places = places;
    this.graph = new ConstraintGraph(rho);
  }

  /**
   * Adds a message: the sender's offset exceeded the receiver's by at most {@code boundMicros}.
   *
   * @param sentMicros when it was sent
   * @param receivedMicros when it was received, not before it was sent
   * @param lagMicros the largest amount by which the actual instants may be later than these, 0 or
   *     more
   */
  void message(
      int sender,
      int receiver,
      double boundMicros,
      double sentMicros,
      double receivedMicros,
      double lagMicros) {
    Pair pair = pair(receiver, sender);
    newestMicros = Math.max(newestMicros, receivedMicros);
    nowMicros = Math.max(nowMicros, receivedMicros + lagMicros);
    this.lagMicros = lagMicros;
    if (stepDetector.isDue(newestMicros)) {
      closeCase();
    }
    double trustedMicros = Math.max(trustedSinceMicros[sender], trustedSinceMicros[receiver]);
    if (sentMicros <= trustedMicros
        && gaps.isInDoubt(sender, receiver, sentMicros, receivedMicros)) {
      return;
    }
    pair.trail.add(boundMicros, receivedMicros, lagMicros, maxSlices());
    if (receivedMicros < newestMicros - LATE_MICROS) {
      checkPast(pair, boundMicros, receivedMicros, lagMicros);
    }
    if (receivedMicros > Math.max(trustedSinceMicros[sender], trustedSinceMicros[receiver])) {
      take(pair, new Bound(receiver, sender, boundMicros, receivedMicros), sentMicros);
      compareSuspects();
    }
  }

  private void take(Pair pair, Bound bound, double sentMicros) {
    if (stepDetector.isOpen() && isSuspect(pair) && isBetter(bound, pair.sinceStep)) {
      pair.sinceStep = bound;
      pair.sinceStepSentMicros = sentMicros;
    }
    if (isBetter(bound, pair.newest)) {
      replace(pair, bound, sentMicros);
    }
  }

  private boolean isBetter(Bound bound, @Nullable Bound other) {
    return other == null
        || bound.micros() - rho * bound.timeMicros() < other.micros() - rho * other.timeMicros();
  }

  /** Uses this bound for the present if it is consistent with the others. */
  private void replace(Pair pair, Bound bound, double sentMicros) {
    Bound before = pair.newest;
    discard(pair);
    List<Bound> cycle = graph.add(bound, nowMicros);
    if (cycle.isEmpty()) {
      pair.newest = bound;
      pair.newestSentMicros = sentMicros;
      return;
    }
    if (before != null) {
      graph.addUnchecked(before);
      pair.newest = before;
    }
    contradiction(cycle, bound, sentMicros);
  }

  private void discard(Pair pair) {
    if (pair.newest != null) {
      graph.remove(pair.newest);
      pair.newest = null;
    }
  }

  private void contradiction(List<Bound> cycle, Bound added, double addedSentMicros) {
    double sumMicros = 0;
    double fromMicros = Double.POSITIVE_INFINITY;
    Set<Integer> nodes = new HashSet<>();
    for (Bound bound : cycle) {
      sumMicros += bound.at(nowMicros, rho);
      fromMicros = Math.min(fromMicros, bound.timeMicros());
      nodes.add(bound.head());
    }
    if (stepDetector.explains(nodes, fromMicros, newestMicros)) {
      stepDetector.narrow(nodes, -sumMicros, newestMicros);
    } else {
      closeCase();
      Map<Integer, Gap> steps = new HashMap<>();
      for (int node : nodes) {
        steps.put(node, place(node, cycle, added, addedSentMicros, -sumMicros));
      }
      narrowOldest(steps, cycle, sumMicros);
      stepDetector.begin(steps, -sumMicros, newestMicros);
      steps.forEach(this::addGap);
      untilComparison = 0;
    }
    if (stepDetector.isDue(newestMicros)) {
      closeCase();
    }
  }

  /**
   * The interval between the two ends of evidence at a node on a cycle, by the node's own stamps,
   * which are in the order of its events however far they are from physical time. What the node
   * sent bounds its offset from above: if that is the newer end, a step was forward, and the
   * readings show where it may be.
   */
  private Gap place(
      int node, List<Bound> cycle, Bound added, double addedSentMicros, double sizeMicros) {
    double sentMicros = Double.NEGATIVE_INFINITY;
    double receivedMicros = Double.NEGATIVE_INFINITY;
    for (Bound bound : cycle) {
      if (bound.tail() == node) {
        receivedMicros = bound.timeMicros();
      } else if (bound.head() == node) {
        sentMicros =
            bound.equals(added)
                ? addedSentMicros
                : pair(bound.tail(), bound.head()).newestSentMicros;
      }
    }
    return sentMicros > receivedMicros
        ? places.narrowed(node, new Gap(receivedMicros, Math.nextDown(sentMicros)), sizeMicros)
        : new Gap(sentMicros, Math.nextDown(receivedMicros));
  }

  /** Begins the interval of the receiver of the oldest evidence where newer evidence agreed. */
  private void narrowOldest(Map<Integer, Gap> steps, List<Bound> cycle, double sumMicros) {
    int receiver = Collections.min(cycle, Comparator.comparingDouble(Bound::timeMicros)).tail();
    steps.computeIfPresent(
        receiver,
        (node, gap) ->
            new Gap(
                Math.min(
                    gap.toMicros(), Math.max(gap.fromMicros(), lastAgreement(cycle, sumMicros))),
                gap.toMicros()));
  }

  /** The instant of the newest evidence that is certainly older than the step. */
  private double lastAgreement(List<Bound> cycle, double sumMicros) {
    List<Bound> byAge = new ArrayList<>(cycle);
    byAge.sort(Comparator.comparingDouble(Bound::timeMicros));
    Bound oldest = byAge.get(0);
    double slackMicros = oldest.at(nowMicros, rho) - sumMicros;
    double lastMicros =
        pair(oldest.tail(), oldest.head()).trail.lastTighter(slackMicros, nowMicros);
    return Math.max(oldest.timeMicros(), Math.min(lastMicros, byAge.get(1).timeMicros()));
  }

  /** Checks whether late evidence contradicts the opposite direction at its time. */
  private void checkPast(Pair pair, double boundMicros, double timeMicros, double lagMicros) {
    Pair back = pair(/* tail= */ pair.head, /* head= */ pair.tail);
    double otherMicros = back.trail.boundAt(timeMicros, 2 * lagMicros);
    double deficitMicros = -(boundMicros + otherMicros);
    if (deficitMicros > ConstraintGraph.ROUNDING_MICROS) {
      double otherTimeMicros = back.trail.tightestTimeMicros(timeMicros);
      // Stamps of the two nodes may be higher than those of the evidence and yet earlier.
      double aroundMicros = Math.min(lagMicros, LATE_MICROS);
      double afterMicros = Math.max(timeMicros, otherTimeMicros) + 2 * aroundMicros;
      Gap gap = new Gap(Math.min(timeMicros, otherTimeMicros) - aroundMicros, afterMicros);
      Set<Integer> nodes = Set.of(pair.tail, pair.head);
      stepDetector.past(nodes, gap.toMicros(), deficitMicros);
      nodes.forEach(node -> addGap(node, gap));
      nodes.forEach(node -> distrust(node, gap.toMicros()));
    }
  }

  /**
   * Notes a step that a node's own readings show.
   *
   * @param sizeMicros the minimum size of the step
   * @param gap the interval between the node's instants before and after it
   */
  void stepped(int node, double sizeMicros, Gap gap) {
    grow(node);
    closeCase();
    stepDetector.begin(Map.of(node, gap), sizeMicros, Math.max(newestMicros, gap.toMicros()));
    addGap(node, gap);
    stepDetector.close();
    distrust(node, gap.toMicros());
  }

  private void addGap(int node, Gap gap) {
    gaps.add(node, gap);
    trustedSinceMicros[node] = Math.max(trustedSinceMicros[node], gap.toMicros());
    for (Pair pair : pairs) {
      if (pair.tail == node || pair.head == node) {
        pair.trail.addGap(gap.fromMicros(), gap.toMicros(), maxSlices());
        if (pair.head == node) {
          // A message that it sent before its step may have been received at any time since.
          pair.trail.forget(gap.toMicros(), nowMicros);
        }
        pair.sinceStep = null;
      }
    }
  }

  /** Drops all present evidence from before the step for the remaining suspects. */
  private void closeCase() {
    if (stepDetector.isOpen()) {
      stepDetector.close();
      // Evidence that replaces what is dropped may contradict other evidence: a new case.
      Map.copyOf(stepDetector.suspects()).forEach((node, gap) -> distrust(node, gap.toMicros()));
    }
  }

  /**
   * Clears the suspects that kept their distance from more nodes than the others: if one clock
   * stepped, they did not. The cost is limited to that of the evidence in between.
   */
  private void compareSuspects() {
    if (!stepDetector.isOpen() || stepDetector.suspects().size() < 2 || untilComparison-- > 0) {
      return;
    }
    untilComparison = pairs.size();
    Map<Integer, Long> kept = new HashMap<>();
    stepDetector.suspects().keySet().forEach(node -> kept.put(node, keptDistances(node)));
    long fewest = Collections.min(kept.values());
    Set<Integer> cleared = new HashSet<>(kept.keySet());
    cleared.removeIf(node -> kept.getOrDefault(node, 0L) == fewest);
    if (!cleared.isEmpty()) {
      stepDetector
          .suspects()
          .forEach(
              (node, gap) -> {
                if (cleared.contains(node)) {
                  gaps.remove(node, gap);
                }
              });
      stepDetector.clear(cleared);
    }
    if (stepDetector.isDue(newestMicros)) {
      closeCase();
    }
  }

  /** The number of nodes whose distance from a suspect did not change by as much as the step. */
  private long keptDistances(int node) {
    OffsetFrame before = frameAt(node, stepDetector.startMicros(), lagMicros);
    OffsetFrame after = frameAt(node, newestMicros, lagMicros);
    long count = 0;
    for (int other = 0; other < after.size(); other++) {
      double mostMicros = after.high(other) - before.low(other);
      double leastMicros = after.low(other) - before.high(other);
      boolean isKept = Math.max(mostMicros, -leastMicros) < stepDetector.sizeMicros();
      count += other != node && isKept ? 1 : 0;
    }
    return count;
  }

  private void distrust(int node, double toMicros) {
    for (Pair pair : pairs) {
      if (pair.tail == node || pair.head == node) {
        Bound newest = pair.newest;
        double readMicros =
            newest == null || pair.head == node ? pair.newestSentMicros : newest.timeMicros();
        if (readMicros <= toMicros) {
          discard(pair);
        }
        Bound sinceStep = pair.sinceStep;
        pair.sinceStep = null;
        if (pair.newest == null && sinceStep != null) {
          replace(pair, sinceStep, pair.sinceStepSentMicros);
        }
      }
    }
  }

  private boolean isSuspect(Pair pair) {
    return stepDetector.suspects().containsKey(pair.tail)
        || stepDetector.suspects().containsKey(pair.head);
  }

  /** The bound that the present depends on, excluding a suspect's evidence from before the step. */
  private @Nullable Bound trusted(Pair pair) {
    return stepDetector.isOpen() && isSuspect(pair) ? pair.sinceStep : pair.newest;
  }

  /** The gaps in which clocks stepped. */
  StepGaps gaps() {
    return gaps;
  }

  /** Removes a message. */
  void revoke(int sender, int receiver, double boundMicros, double receivedMicros) {
    Pair pair = pair(receiver, sender);
    pair.trail.forgetPoint(boundMicros, receivedMicros);
    Bound revoked = new Bound(receiver, sender, boundMicros, receivedMicros);
    if (revoked.equals(pair.sinceStep)) {
      pair.sinceStep = null;
    }
    if (revoked.equals(pair.newest)) {
      discard(pair);
      double micros = pair.trail.boundAt(nowMicros, 0);
      if (micros < Double.POSITIVE_INFINITY) {
        replace(pair, new Bound(receiver, sender, micros, nowMicros), Double.NEGATIVE_INFINITY);
      }
    }
  }

  /** The instant of the newest evidence; negative infinity before the first. */
  double nowMicros() {
    return nowMicros;
  }

  /** The contradictions found, oldest first. */
  List<ClockStep> steps() {
    return stepDetector.steps();
  }

  /** The offsets at or after the instant of the newest evidence. */
  OffsetFrame frameNow(int reference, double instantMicros) {
    grow(reference);
    return OffsetFrame.solve(present(), Math.max(instantMicros, nowMicros), rho, reference);
  }

  /** The same offsets without fitting one timeline to all intervals. */
  OffsetFrame roughFrameNow(int reference, double instantMicros) {
    grow(reference);
    return OffsetFrame.solve(present(), Math.max(instantMicros, nowMicros), rho, reference, 1);
  }

  /**
   * The bounds that the present depends on. While a case is open, the suspects' evidence since its
   * step has not been compared: if it contradicts itself, the older part is ignored.
   */
  private ConstraintGraph present() {
    if (!stepDetector.isOpen()) {
      return graph;
    }
    List<Bound> bounds = new ArrayList<>(pairs.size());
    for (Pair pair : pairs) {
      Bound bound = trusted(pair);
      if (bound != null) {
        bounds.add(bound);
      }
    }
    bounds.sort(Comparator.comparingDouble(Bound::timeMicros).reversed());
    ConstraintGraph present = new ConstraintGraph(rho);
    present.grow(graph.size());
    bounds.forEach(bound -> present.add(bound, nowMicros));
    return present;
  }

  /**
   * The offsets at any instant, from the evidence on both sides of it. If that evidence contradicts
   * itself, the part furthest from the instant is ignored.
   *
   * @param lagMicros the largest amount by which the actual moment may be later than {@code
   *     instantMicros}
   */
  OffsetFrame frameAt(int reference, double instantMicros, double lagMicros) {
    grow(reference);
    List<Bound> bounds = new ArrayList<>(pairs.size());
    for (Pair pair : pairs) {
      double micros = boundAt(pair, instantMicros, lagMicros);
      if (micros < Double.POSITIVE_INFINITY) {
        double distanceMicros = pair.trail.distanceMicros(instantMicros);
        bounds.add(new Bound(pair.tail, pair.head, micros, instantMicros - distanceMicros));
      }
    }
    bounds.sort(Comparator.comparingDouble(bound -> instantMicros - bound.timeMicros()));
    ConstraintGraph past = new ConstraintGraph(0);
    past.grow(graph.size());
    bounds.forEach(bound -> past.add(bound, instantMicros));
    return OffsetFrame.solve(past, instantMicros, 0, reference);
  }

  private double boundAt(Pair pair, double instantMicros, double lagMicros) {
    double pastMicros = pair.trail.boundAt(instantMicros, lagMicros);
    Bound newest = trusted(pair);
    return newest != null && newest.timeMicros() <= instantMicros
        ? Math.min(pastMicros, newest.at(instantMicros + lagMicros, rho))
        : pastMicros;
  }

  private int maxSlices() {
    int share = maxHistorySlices / Math.max(1, pairs.size());
    return Math.max(MIN_SLICES_PER_PAIR, Math.min(MAX_SLICES_PER_PAIR, share));
  }

  private Pair pair(int tail, int head) {
    grow(Math.max(tail, head));
    @Nullable Pair[] row = pairOf[tail];
    if (head >= row.length) {
      row = Arrays.copyOf(row, Math.max(head + 1, 2 * row.length));
      pairOf[tail] = row;
    }
    Pair pair = row[head];
    if (pair == null) {
      pair = new Pair(tail, head, rho);
      row[head] = pair;
      pairs.add(pair);
      for (int node : new int[] {tail, head}) {
        for (Gap gap : gaps.of(node)) {
          pair.trail.addGap(gap.fromMicros(), gap.toMicros(), maxSlices());
        }
      }
    }
    return pair;
  }

  private void grow(int node) {
    if (node < graph.size()) {
      return;
    }
    graph.grow(node + 1);
    gaps.grow(node + 1);
    if (node >= pairOf.length) {
      int length = Math.max(node + 1, 2 * pairOf.length);
      int before = pairOf.length;
      pairOf = Arrays.copyOf(pairOf, length);
      Arrays.fill(pairOf, before, length, new Pair[0]);
      trustedSinceMicros = Arrays.copyOf(trustedSinceMicros, length);
      Arrays.fill(trustedSinceMicros, before, length, Double.NEGATIVE_INFINITY);
    }
  }

  /** The number of summaries of the past that are kept. */
  long sliceCount() {
    return pairs.stream().mapToLong(pair -> pair.trail.sliceCount()).sum();
  }

  /** The number of ordered pairs of nodes with evidence. */
  int pairCount() {
    return pairs.size();
  }
}
