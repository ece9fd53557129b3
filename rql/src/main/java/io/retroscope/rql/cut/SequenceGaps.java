// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Gap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A detector of gaps in the sequence numbers of one node's events, which may come in any order.
 * Used by one thread.
 */
public final class SequenceGaps {
  /*
   * The state consists of the runs of numbers seen so far, with the stamps at their ends; a gap is
   * the space between two runs. A start begins a new numbering and counts as its number 0, so that
   * a loss before the first event is found. Without a start, the first number seen counts as the
   * first one, because a file may hold only part of a recording.
   */

  /** The maximum number of runs; beyond it the oldest gaps are merged into one. */
  static final int MAX_RUNS = 1_000;

  /**
   * A run of numbers that were all seen.
   *
   * @param numbering packed stamp of the start that began the numbering; {@link
   *     HlcTimestamp#MIN_PACKED} without a start
   * @param first the lowest number
   * @param last the highest number
   * @param firstHlc packed stamp of the first
   * @param lastHlc packed stamp of the last
   */
  public record Seen(long numbering, long first, long last, long firstHlc, long lastHlc) {}

  /**
   * The complete state of a detector, from which another one can continue.
   *
   * @param oldest the merged oldest gaps
   * @param incarnation of the latest start
   * @param assigned the highest number that the node reports to have assigned, 0 if it reports none
   * @param assignedHlc packed stamp of that report
   */
  public record State(
      Optional<Gap> oldest, List<Seen> runs, String incarnation, long assigned, long assignedHlc) {
    /** The state before the first event. */
    public static final State EMPTY =
        new State(Optional.empty(), List.of(), "", 0, HlcTimestamp.MIN_PACKED);

    /** Copies the list. */
    public State {
      runs = List.copyOf(runs);
    }
  }

  private final String node;
  private final TreeSet<Seen> runs =
      new TreeSet<>(Comparator.comparingLong(Seen::numbering).thenComparingLong(Seen::first));
  private Optional<Gap> oldest;
  private String incarnation;
  private long assigned;
  private long assignedHlc;

  /** Creates a detector that continues from a state. */
  public SequenceGaps(String node, State state) {
    this.node = node;
    runs.addAll(state.runs());
    oldest = state.oldest();
    incarnation = state.incarnation();
    assigned = state.assigned();
    assignedHlc = state.assignedHlc();
  }

  /** The present state. */
  public State state() {
    return new State(oldest, new ArrayList<>(runs), incarnation, assigned, assignedHlc);
  }

  /** Records a start of the node, which begins a new numbering. */
  public void started(long hlc, String newIncarnation) {
    if (newIncarnation.equals(incarnation)) {
      return;
    }
    incarnation = newIncarnation;
    long before = numberingAt(hlc);
    List<Seen> own =
        runs.stream().filter(run -> run.numbering() == before && run.firstHlc() > hlc).toList();
    own.forEach(runs::remove);
    runs.add(new Seen(hlc, 0, 0, hlc, hlc));
    own.forEach(run -> seen(run.first(), run.last(), run.firstHlc(), run.lastHlc()));
  }

  /**
   * Records events with all numbers from first to last.
   *
   * @param firstHlc packed stamp of the first
   * @param lastHlc packed stamp of the last
   */
  public void seen(long first, long last, long firstHlc, long lastHlc) {
    long numbering = numberingAt(firstHlc);
    Seen joined = new Seen(numbering, first, last, firstHlc, lastHlc);
    Seen before = runs.floor(joined);
    if (before != null && before.numbering() == numbering && before.last() >= first - 1) {
      if (before.last() >= last) {
        return;
      }
      runs.remove(before);
      joined = new Seen(numbering, before.first(), last, before.firstHlc(), lastHlc);
    }
    for (Seen after = runs.higher(joined);
        after != null && after.numbering() == numbering && after.first() - 1 <= joined.last();
        after = runs.higher(joined)) {
      runs.remove(after);
      if (after.last() > joined.last()) {
        joined =
            new Seen(numbering, joined.first(), after.last(), joined.firstHlc(), after.lastHlc());
      }
    }
    runs.add(joined);
    if (runs.size() > MAX_RUNS) {
      joinOldest();
    }
  }

  /**
   * Records the node's report that it has assigned the numbers up to {@code last}, lost events
   * included.
   */
  public void assigned(long last, long hlc) {
    if (last > assigned) {
      assigned = last;
      assignedHlc = hlc;
    }
  }

  /** The gaps, oldest first. The stamp of a lost event is between those of its neighbours. */
  public List<Gap> gaps() {
    List<Gap> gaps = new ArrayList<>();
    oldest.ifPresent(gaps::add);
    Seen previous = null;
    for (Seen run : runs) {
      if (previous != null && previous.numbering() == run.numbering()) {
        gaps.add(hole(previous, run));
      }
      previous = run;
    }
    if (previous != null && previous.last() < assigned && previous.lastHlc() < assignedHlc) {
      HlcRange where = new HlcRange(previous.lastHlc(), assignedHlc);
      gaps.add(new Gap(node, where, assigned - previous.last()));
    }
    return gaps;
  }

  /** Whether there may be gaps, without an examination of each run. */
  public boolean mayHaveHoles() {
    return oldest.isPresent()
        || runs.size() > 1
        || (!runs.isEmpty()
            && runs.last().last() < assigned
            && runs.last().lastHlc() < assignedHlc);
  }

  private long numberingAt(long hlc) {
    Seen latest = runs.floor(new Seen(hlc, Long.MAX_VALUE, 0, 0, 0));
    return latest == null ? HlcTimestamp.MIN_PACKED : latest.numbering();
  }

  private Gap hole(Seen before, Seen after) {
    long from = Math.min(before.lastHlc(), after.firstHlc());
    long to = Math.max(before.lastHlc(), after.firstHlc());
    return new Gap(node, new HlcRange(from, to), after.first() - before.last() - 1);
  }

  private void joinOldest() {
    Seen first = runs.first();
    runs.remove(first);
    Seen second = runs.first();
    if (first.numbering() != second.numbering()) {
      return;
    }
    Gap hole = hole(first, second);
    oldest = Optional.of(oldest.map(gap -> join(gap, hole)).orElse(hole));
    runs.remove(second);
    runs.add(
        new Seen(
            first.numbering(), first.first(), second.last(), first.firstHlc(), second.lastHlc()));
  }

  private Gap join(Gap a, Gap b) {
    HlcRange where =
        new HlcRange(
            Math.min(a.range().from(), b.range().from()), Math.max(a.range().to(), b.range().to()));
    return new Gap(node, where, a.eventCount() + b.eventCount());
  }
}
