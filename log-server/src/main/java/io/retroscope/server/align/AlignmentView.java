// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.NodeAlignment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Offsets against one reference node, computed once for each short interval of time. Thread-safe.
 */
final class AlignmentView implements ClockOffsets {
  /**
   * The length of an interval. Offsets are computed for its middle and widened towards its ends.
   */
  static final double STRETCH_MICROS = 250_000;

  /** The number of intervals that are cached. */
  private static final int MAX_STRETCHES = 256;

  /** The spans over which a drift is measured: the longest one for which the evidence suffices. */
  private static final double[] DRIFT_SPANS_MICROS = {600e6, 300e6, 120e6, 60e6, 30e6, 10e6};

  /**
   * The largest uncertainty of a drift that is reported, as a share of the bound that is assumed
   * for every clock anyway.
   */
  private static final double PRECISE_SHARE = 0.25;

  private final ClockAlignment alignment;
  private final String reference;
  private final int referenceIndex;
  private final List<Driver> drivers;
  private final AtomicReferenceArray<@Nullable Stretch> stretches =
      new AtomicReferenceArray<>(MAX_STRETCHES);

  /** The offsets in the middle of one interval. */
  private record Stretch(long number, NodeOffsets offsets) {}

  /**
   * Offsets from the clock of a node.
   *
   * @param drivers of which it is the last one; empty if it is not the driver
   */
  AlignmentView(ClockAlignment alignment, NodeClock reference, List<Driver> drivers) {
    this.alignment = alignment;
    this.reference = reference.name();
    this.referenceIndex = reference.index();
    this.drivers = drivers;
  }

  @Override
  public Optional<String> referenceNode() {
    return Optional.of(reference);
  }

  @Override
  public Optional<Offset> offset(String node, long hlc) {
    if (node.equals(reference)) {
      return Optional.of(new Offset(0, OptionalLong.of(0), OptionalLong.of(0)));
    }
    Optional<NodeClock> clock;
    synchronized (alignment) {
      clock = alignment.find(node);
    }
    return clock.flatMap(known -> offsetAt(known.index(), alignment.timeMicros(hlc)));
  }

  private Optional<Offset> offsetAt(int node, double instantMicros) {
    long number = (long) Math.floor(instantMicros / STRETCH_MICROS);
    double startMicros = number * STRETCH_MICROS;
    if (alignment.mayHaveStepped(startMicros, startMicros + STRETCH_MICROS)) {
      return alignment.offsetsAt(referenceIndex, instantMicros).offset(node, 0);
    }
    double middleMicros = startMicros + STRETCH_MICROS / 2;
    int slot = (int) Math.floorMod(number, (long) MAX_STRETCHES);
    Stretch stretch = stretches.get(slot);
    if (stretch == null || stretch.number != number) {
      stretch = new Stretch(number, alignment.offsetsAt(referenceIndex, middleMicros));
      stretches.set(slot, stretch);
    }
    return stretch.offsets.offset(node, alignment.rho() * Math.abs(instantMicros - middleMicros));
  }

  @Override
  public List<Driver> drivers() {
    return drivers;
  }

  @Override
  public List<Incompleteness> contradictions() {
    return alignment.contradictions();
  }

  @Override
  public boolean mayHaveStepped(String node, long fromHlc, long toHlc) {
    return alignment.mayHaveStepped(
        node, alignment.timeMicros(fromHlc), alignment.timeMicros(toHlc));
  }

  @Override
  public List<NodeAlignment> alignment() {
    synchronized (alignment) {
      double nowMicros = alignment.nowMicros();
      NodeOffsets offsets = alignment.offsetsAt(referenceIndex, nowMicros);
      List<NodeClock> clocks = new ArrayList<>(alignment.nodes());
      clocks.sort(Comparator.comparing(NodeClock::name, NaturalOrder.INSTANCE));
      List<DriftSpan> drifts = drifts(offsets, nowMicros);
      ClockGroups groups = ClockGroups.of(alignment, clocks, referenceIndex, offsets);
      return clocks.stream().map(clock -> row(clock, groups, drifts, nowMicros)).toList();
    }
  }

  private NodeAlignment row(
      NodeClock clock, ClockGroups groups, List<DriftSpan> drifts, double nowMicros) {
    int i = clock.index();
    ClockGroups.Group group = groups.of(i);
    return new NodeAlignment(
        clock.name(),
        alignment.nodes().get(group.reference()).name(),
        i == group.reference()
            ? Optional.of(new Offset(0, OptionalLong.of(0), OptionalLong.of(0)))
            : group.offsets().offset(i, 0),
        drifts.stream().flatMap(drift -> drift.of(i).stream()).findFirst(),
        clock.evidenceCount(),
        clock.evidenceCount() == 0
            ? OptionalLong.empty()
            : OptionalLong.of(Math.max(0, Math.round(nowMicros - clock.evidenceTimeMicros()))),
        lastStep(i),
        i == referenceIndex && !drivers.isEmpty()
            ? OptionalLong.of(drivers.get(drivers.size() - 1).sinceHlc())
            : OptionalLong.empty());
  }

  private Optional<NodeAlignment.Step> lastStep(int node) {
    List<ClockStep> steps = alignment.steps();
    for (int i = steps.size() - 1; i >= 0; i--) {
      ClockStep step = steps.get(i);
      if (step.nodes().contains(node)) {
        return Optional.of(
            new NodeAlignment.Step(
                alignment.stamp(step.timeMicros()), (long) Math.ceil(step.sizeMicros())));
      }
    }
    return Optional.empty();
  }

  private List<DriftSpan> drifts(NodeOffsets newest, double nowMicros) {
    List<DriftSpan> drifts = new ArrayList<>();
    for (double spanMicros : DRIFT_SPANS_MICROS) {
      if (nowMicros >= spanMicros) {
        drifts.add(
            new DriftSpan(
                newest,
                alignment.offsetsAt(referenceIndex, nowMicros - spanMicros),
                nowMicros - spanMicros,
                nowMicros));
      }
    }
    return drifts;
  }

  /** The drift between two instants as implied by the offsets at them. */
  private final class DriftSpan {
    /*
     * If both offsets are in their intervals, the change is between the extremes that those allow.
     * No assumption about the time in between is needed, so this holds for the average over the
     * span, whatever the clocks did. The estimates may be anywhere in their intervals, so the
     * larger side counts.
     */

    private final NodeOffsets newer;
    private final NodeOffsets older;
    private final double fromMicros;
    private final double spanMicros;

    DriftSpan(NodeOffsets newer, NodeOffsets older, double fromMicros, double toMicros) {
      this.newer = newer;
      this.older = older;
      this.fromMicros = fromMicros;
      this.spanMicros = toMicros - fromMicros;
    }

    /** Empty if a clock stepped, or if the intervals are too wide. */
    Optional<NodeAlignment.Drift> of(int node) {
      double changeMicros = newer.estimateMicros(node) - older.estimateMicros(node);
      double ppm = Math.round(changeMicros / spanMicros * 1e8) / 1e2;
      double leastPpm = (newer.lowMicros(node) - older.highMicros(node)) / spanMicros * 1e6;
      double mostPpm = (newer.highMicros(node) - older.lowMicros(node)) / spanMicros * 1e6;
      double doubtPpm = Math.ceil(Math.max(ppm - leastPpm, mostPpm - ppm) * 1e2) / 1e2;
      boolean precise = doubtPpm <= PRECISE_SHARE * alignment.rho() * 1e6;
      return precise && node != referenceIndex && !hasStepped(node)
          ? Optional.of(new NodeAlignment.Drift(ppm, doubtPpm))
          : Optional.empty();
    }

    private boolean hasStepped(int node) {
      return alignment.steps().stream()
          .filter(step -> step.timeMicros() >= fromMicros)
          .anyMatch(step -> step.nodes().contains(node) || step.nodes().contains(referenceIndex));
    }
  }
}
