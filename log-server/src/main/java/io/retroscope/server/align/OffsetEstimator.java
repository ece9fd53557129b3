package io.retroscope.server.align;

import io.retroscope.server.align.StepGaps.Gap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns bounds between pairs of clocks into offsets of all: keeps the best evidence for each
 * ordered pair, lets it age, and where evidence contradicts itself drops what may come from before
 * a step. Not thread-safe.
 *
 * <p>Nodes are indices from 0. Times are microseconds on one common scale from any origin.
 */
final class OffsetEstimator {
  /*
   * All evidence of a pair ages alike, so for instants after all of it the best never changes rank: one point
   * a pair is enough for "now", and a new one costs a comparison. A trail of points serves the past.
   *
   * A contradiction means that some clock on its cycle stepped after the oldest of its evidence and not after the
   * newest. Whose clock it was is told by contradictions that follow from the same old evidence, so that is kept
   * for a while; but until then nobody on the cycle is trusted: offsets rest on evidence since the step alone. The
   * time between is a gap in those nodes' history, from which no evidence counts and across which none does.
   */

  /**
   * Late evidence is checked against that of its own time, beyond what streams from nodes overlap.
   */
  private static final double LATE_MICROS = 2e6;

  private static final int MIN_SLICES_PER_PAIR = 64;
  private static final int MAX_SLICES_PER_PAIR = 8192;

  private final double rho;
  private final int maxHistorySlices;
  private final ConstraintGraph graph;
  private final StepDetector stepDetector = new StepDetector();
  private final List<Pair> pairs = new ArrayList<>();
  private @Nullable Pair[][] pairOf = new Pair[0][];
  private double[] trustedSince = new double[0];
  private final StepGaps gaps = new StepGaps();
  private double lagMicros;

  /** From here on evidence is surely from after the open case's step. */
  private double caseEndMicros;

  private double now = Double.NEGATIVE_INFINITY;

  /** The evidence for one ordered pair. */
  private static final class Pair {
    private final int tail;
    private final int head;
    private final EvidenceTrail trail;
    private @Nullable Bound newest;
    private double newestSentMicros;

    /** The best since the open case's step. */
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
   * @param rho bound on the relative rate of two clocks, a plain ratio
   * @param maxHistorySlices summaries of the past kept for all pairs together, as far as {@value
   *     #MIN_SLICES_PER_PAIR} a pair do not exceed it
   */
  OffsetEstimator(double rho, int maxHistorySlices) {
    this.rho = rho;
    this.maxHistorySlices = maxHistorySlices;
    this.graph = new ConstraintGraph(rho);
  }

  /**
   * Takes a message: the sender's offset exceeded the receiver's by at most {@code boundMicros}.
   *
   * @param sentMicros when it was sent
   * @param receivedMicros when it was received, not before it was sent
   * @param lagMicros how much later than these the instants may really have been, 0 or more
   */
  void message(
      int sender,
      int receiver,
      double boundMicros,
      double sentMicros,
      double receivedMicros,
      double lagMicros) {
    Pair pair = pair(receiver, sender);
    now = Math.max(now, receivedMicros + lagMicros);
    this.lagMicros = lagMicros;
    if (stepDetector.isDue(now)) {
      closeCase();
    }
    double trusted = Math.max(trustedSince[sender], trustedSince[receiver]);
    if (sentMicros <= trusted && gaps.isInDoubt(sender, receiver, sentMicros, receivedMicros)) {
      return;
    }
    pair.trail.add(boundMicros, receivedMicros, lagMicros, maxSlices());
    if (receivedMicros < now - LATE_MICROS) {
      checkPast(pair, boundMicros, receivedMicros, lagMicros);
    }
    if (receivedMicros > Math.max(trustedSince[sender], trustedSince[receiver])) {
      take(pair, new Bound(receiver, sender, boundMicros, receivedMicros), sentMicros);
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

  /** Lets the present rest on this bound, if it can hold together with the others. */
  private void replace(Pair pair, Bound bound, double sentMicros) {
    Bound before = pair.newest;
    discard(pair);
    List<Bound> cycle = graph.add(bound, now);
    if (cycle.isEmpty()) {
      pair.newest = bound;
      pair.newestSentMicros = sentMicros;
      return;
    }
    if (before != null) {
      graph.addUnchecked(before);
      pair.newest = before;
    }
    contradiction(cycle);
  }

  private void discard(Pair pair) {
    if (pair.newest != null) {
      graph.remove(pair.newest);
      pair.newest = null;
    }
  }

  private void contradiction(List<Bound> cycle) {
    double sum = 0;
    double from = Double.POSITIVE_INFINITY;
    double to = Double.NEGATIVE_INFINITY;
    Set<Integer> nodes = new HashSet<>();
    for (Bound bound : cycle) {
      sum += bound.at(now, rho);
      from = Math.min(from, bound.timeMicros());
      to = Math.max(to, bound.timeMicros());
      nodes.add(bound.head());
    }
    if (stepDetector.explains(nodes, from, now)) {
      stepDetector.narrow(nodes, -sum, now);
    } else {
      closeCase();
      stepDetector.begin(nodes, to, -sum, now);
      // Stamps of other nodes may be higher than the newest on the cycle and yet earlier.
      Gap gap = new Gap(lastAgreement(cycle, sum) - lagMicros, Math.max(now, to));
      caseEndMicros = gap.toMicros();
      nodes.forEach(node -> addGap(node, gap));
    }
    if (stepDetector.isDue(now)) {
      closeCase();
    }
  }

  /** The instant of the newest evidence that surely comes from before the step. */
  private double lastAgreement(List<Bound> cycle, double sum) {
    List<Bound> byAge = new ArrayList<>(cycle);
    byAge.sort(Comparator.comparingDouble(Bound::timeMicros));
    Bound oldest = byAge.get(0);
    double slack = oldest.at(now, rho) - sum;
    double last = pair(oldest.tail(), oldest.head()).trail.lastTighter(slack, now);
    return Math.max(oldest.timeMicros(), Math.min(last, byAge.get(1).timeMicros()));
  }

  /** Looks whether late evidence contradicts what came the other way at its time. */
  private void checkPast(Pair pair, double boundMicros, double timeMicros, double lagMicros) {
    Pair back = pair(/* tail= */ pair.head, /* head= */ pair.tail);
    double other = back.trail.boundAt(timeMicros, 2 * lagMicros);
    double deficit = -(boundMicros + other);
    if (deficit > ConstraintGraph.ROUNDING_MICROS) {
      double otherTime = back.trail.tightestTime(timeMicros);
      double after = Math.max(timeMicros, otherTime) + 2 * lagMicros;
      Gap gap = new Gap(Math.min(timeMicros, otherTime) - lagMicros, after);
      Set<Integer> nodes = Set.of(pair.tail, pair.head);
      stepDetector.past(nodes, gap.toMicros(), deficit);
      nodes.forEach(node -> addGap(node, gap));
      nodes.forEach(node -> distrust(node, gap.toMicros()));
    }
  }

  /**
   * Takes note that a node's own readings show a step.
   *
   * @param sizeMicros how large it was at least
   * @param timeMicros the node's first instant after it
   * @param gap the stretch of time in which it must lie, by the stamps of all nodes
   */
  void stepped(int node, double sizeMicros, double timeMicros, Gap gap) {
    grow(node);
    closeCase();
    stepDetector.begin(Set.of(node), timeMicros, sizeMicros, Math.max(now, gap.toMicros()));
    addGap(node, gap);
    stepDetector.close();
    distrust(node, gap.toMicros());
  }

  private void addGap(int node, Gap gap) {
    gaps.add(node, gap);
    trustedSince[node] = Math.max(trustedSince[node], gap.toMicros());
    for (Pair pair : pairs) {
      if (pair.tail == node || pair.head == node) {
        pair.trail.addGap(gap.fromMicros(), gap.toMicros(), maxSlices());
        if (pair.head == node) {
          // What it sent before its step may have been received at any time since.
          pair.trail.forget(gap.toMicros(), now);
        }
        pair.sinceStep = null;
      }
    }
  }

  /** Lets the present rest on nothing from before the step for all who are still suspected. */
  private void closeCase() {
    if (stepDetector.isOpen()) {
      stepDetector.close();
      stepDetector.suspects().forEach(node -> distrust(node, caseEndMicros));
    }
  }

  private void distrust(int node, double toMicros) {
    for (Pair pair : pairs) {
      if (pair.tail == node || pair.head == node) {
        Bound newest = pair.newest;
        double read =
            newest == null || pair.head == node ? pair.newestSentMicros : newest.timeMicros();
        if (read <= toMicros) {
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
    return stepDetector.suspects().contains(pair.tail)
        || stepDetector.suspects().contains(pair.head);
  }

  /** What the present rests on: not on what a suspect's clock told before the step. */
  private @Nullable Bound trusted(Pair pair) {
    return stepDetector.isOpen() && isSuspect(pair) ? pair.sinceStep : pair.newest;
  }

  /** When clocks stepped. */
  StepGaps gaps() {
    return gaps;
  }

  /** Takes back a message. */
  void revoke(int sender, int receiver, double boundMicros, double receivedMicros) {
    Pair pair = pair(receiver, sender);
    pair.trail.forgetPoint(boundMicros, receivedMicros);
    Bound revoked = new Bound(receiver, sender, boundMicros, receivedMicros);
    if (revoked.equals(pair.sinceStep)) {
      pair.sinceStep = null;
    }
    if (revoked.equals(pair.newest)) {
      discard(pair);
      double micros = pair.trail.boundAt(now, 0);
      if (micros < Double.POSITIVE_INFINITY) {
        replace(pair, new Bound(receiver, sender, micros, now), Double.NEGATIVE_INFINITY);
      }
    }
  }

  /** The instant of the newest evidence; negative infinity before the first. */
  double now() {
    return now;
  }

  /** The contradictions found, oldest first. */
  List<ClockStep> steps() {
    return stepDetector.steps();
  }

  /** The offsets at the instant of the newest evidence, or at a later one. */
  OffsetFrame frameNow(int reference, double instant) {
    grow(reference);
    return OffsetFrame.solve(present(), Math.max(instant, now), rho, reference);
  }

  /** The same without the fit that makes the best timeline of many intervals. */
  OffsetFrame roughFrameNow(int reference, double instant) {
    grow(reference);
    return OffsetFrame.solve(present(), Math.max(instant, now), rho, reference, 1);
  }

  private ConstraintGraph present() {
    if (!stepDetector.isOpen()) {
      return graph;
    }
    ConstraintGraph present = new ConstraintGraph(rho);
    present.grow(graph.size());
    for (Pair pair : pairs) {
      Bound bound = trusted(pair);
      if (bound != null) {
        present.addUnchecked(bound);
      }
    }
    return present;
  }

  /**
   * The offsets at any instant, from the evidence on both sides of it. Where that contradicts
   * itself, what is furthest from the instant does not count.
   *
   * @param lagMicros how much later than {@code instant} the moment asked for may really be
   */
  OffsetFrame frameAt(int reference, double instant, double lagMicros) {
    grow(reference);
    List<Bound> bounds = new ArrayList<>(pairs.size());
    for (Pair pair : pairs) {
      double micros = boundAt(pair, instant, lagMicros);
      if (micros < Double.POSITIVE_INFINITY) {
        double distance = pair.trail.distanceTo(instant);
        bounds.add(new Bound(pair.tail, pair.head, micros, instant - distance));
      }
    }
    bounds.sort(Comparator.comparingDouble(bound -> instant - bound.timeMicros()));
    ConstraintGraph past = new ConstraintGraph(0);
    past.grow(graph.size());
    bounds.forEach(bound -> past.add(bound, instant));
    return OffsetFrame.solve(past, instant, 0, reference);
  }

  private double boundAt(Pair pair, double instant, double lagMicros) {
    double past = pair.trail.boundAt(instant, lagMicros);
    Bound newest = trusted(pair);
    return newest != null && newest.timeMicros() <= instant
        ? Math.min(past, newest.at(instant + lagMicros, rho))
        : past;
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
      trustedSince = Arrays.copyOf(trustedSince, length);
      Arrays.fill(trustedSince, before, length, Double.NEGATIVE_INFINITY);
    }
  }

  /** How many summaries of the past are kept. */
  long sliceCount() {
    return pairs.stream().mapToLong(pair -> pair.trail.sliceCount()).sum();
  }

  /** How many ordered pairs of nodes have evidence. */
  int pairCount() {
    return pairs.size();
  }
}
