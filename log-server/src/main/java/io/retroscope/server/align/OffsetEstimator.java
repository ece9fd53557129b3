package io.retroscope.server.align;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns bounds between pairs of clocks into offsets of all: keeps the best evidence for each
 * ordered pair, lets it age, and drops the oldest where evidence contradicts itself. Not
 * thread-safe.
 *
 * <p>Nodes are indices from 0. Times are microseconds on one common scale from any origin.
 */
final class OffsetEstimator {
  /*
   * All evidence of a pair ages alike, so for instants after all of it the best never changes rank: one point
   * a pair is enough for "now", and a new one costs a comparison. A trail of points serves the past.
   */

  private static final int MIN_SLICES_PER_PAIR = 64;
  private static final int MAX_SLICES_PER_PAIR = 8192;

  private final double rho;
  private final int maxHistorySlices;
  private final ConstraintGraph graph;
  private final StepDetector stepDetector = new StepDetector();
  private final List<Pair> pairs = new ArrayList<>();
  private @Nullable Pair[][] pairOf = new Pair[0][];
  private double[] trustedSince = new double[0];
  private double now = Double.NEGATIVE_INFINITY;

  /** The evidence for one ordered pair. */
  private static final class Pair {
    private final int tail;
    private final int head;
    private final EvidenceTrail trail;
    private @Nullable Bound newest;
    private double barrierMicros = Double.NEGATIVE_INFINITY;

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
    if (receivedMicros > now) {
      now = receivedMicros;
    }
    double trusted = Math.max(trustedSince[sender], trustedSince[receiver]);
    if (sentMicros < trusted && receivedMicros >= trusted) {
      return; // In flight while a clock stepped.
    }
    pair.trail.add(boundMicros, receivedMicros, lagMicros, maxSlices());
    if (receivedMicros < Math.max(trusted, pair.barrierMicros)) {
      return;
    }
    Bound newest = pair.newest;
    if (newest == null
        || boundMicros - rho * receivedMicros < newest.micros() - rho * newest.timeMicros()) {
      replace(pair, new Bound(receiver, sender, boundMicros, receivedMicros));
    }
  }

  private void replace(Pair pair, Bound bound) {
    if (pair.newest != null) {
      graph.remove(pair.newest);
      pair.newest = null;
    }
    pair.newest = bound;
    while (bound.equals(pair.newest)) {
      List<Bound> cycle = graph.add(bound, now);
      if (cycle.isEmpty()) {
        return;
      }
      contradiction(cycle);
    }
  }

  private void contradiction(List<Bound> cycle) {
    double sum = 0;
    Bound oldest = cycle.get(0);
    for (Bound bound : cycle) {
      sum += bound.at(now, rho);
      oldest = bound.timeMicros() < oldest.timeMicros() ? bound : oldest;
    }
    evict(pair(oldest.tail(), oldest.head()), now);
    stepDetector
        .contradiction(cycle, -sum, now)
        .ifPresent(node -> distrustBefore(node, stepDetector.firstMicros()));
  }

  /**
   * Takes note that a node's own readings show a step.
   *
   * @param sizeMicros how large it was at least
   * @param timeMicros the first instant after it
   */
  void stepped(int node, double sizeMicros, double timeMicros) {
    grow(node);
    stepDetector.seen(node, sizeMicros, timeMicros);
    distrustBefore(node, timeMicros);
  }

  /** Forgets, for the time from an instant on, what was known of a node's clock before it. */
  private void distrustBefore(int node, double timeMicros) {
    trustedSince[node] = Math.max(trustedSince[node], timeMicros);
    for (Pair pair : pairs) {
      if (pair.tail == node || pair.head == node) {
        if (pair.newest != null && pair.newest.timeMicros() < timeMicros) {
          evict(pair, timeMicros);
        } else {
          pair.trail.addBarrier(timeMicros, maxSlices());
        }
      }
    }
  }

  private void evict(Pair pair, double timeMicros) {
    Bound newest = pair.newest;
    if (newest != null) {
      graph.remove(newest);
      pair.newest = null;
    }
    pair.barrierMicros = Math.max(pair.barrierMicros, timeMicros);
    pair.trail.addBarrier(timeMicros, maxSlices());
  }

  /** Takes back a message, as far as it is what "now" rests on. */
  void revoke(int sender, int receiver, double boundMicros, double receivedMicros) {
    Pair pair = pair(receiver, sender);
    Bound newest = pair.newest;
    if (newest != null && newest.micros() == boundMicros && newest.timeMicros() == receivedMicros) {
      evict(pair, now);
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
    return OffsetFrame.solve(graph, Math.max(instant, now), rho, reference);
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
    Bound newest = pair.newest;
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
    }
    return pair;
  }

  private void grow(int node) {
    if (node < graph.size()) {
      return;
    }
    graph.grow(node + 1);
    if (node >= pairOf.length) {
      int length = Math.max(node + 1, 2 * pairOf.length);
      int before = pairOf.length;
      pairOf = Arrays.copyOf(pairOf, length);
      Arrays.fill(pairOf, before, length, new Pair[0]);
      trustedSince = Arrays.copyOf(trustedSince, length);
      Arrays.fill(trustedSince, before, length, Double.NEGATIVE_INFINITY);
    }
  }

  /** How many ordered pairs of nodes have evidence. */
  int pairCount() {
    return pairs.size();
  }
}
