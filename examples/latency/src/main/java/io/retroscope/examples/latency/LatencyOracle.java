// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.examples.latency.Latencies.Box;
import io.retroscope.examples.latency.LatencyScene.LinkFault;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.NodeAlignment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** What must hold, known from the faults, from arithmetic, and from the clocks' known offsets. */
final class LatencyOracle {
  /** By how much a stamp of the slowest clock can be below the machine's. */
  private static final long TOLERANCE_MICROS = 36_000;

  private static final Duration POLL = Duration.ofMillis(100);

  private final History history;
  private final List<LinkFault> faults;
  private final List<Stall> stalls;
  private final Duration alignmentPatience;

  LatencyOracle(
      History history, List<LinkFault> faults, List<Stall> stalls, Duration alignmentPatience) {
    this.history = history;
    this.faults = faults;
    this.stalls = stalls;
    this.alignmentPatience = alignmentPatience;
  }

  List<Check> checks(List<Shifts> shifts) throws StageException, IOException {
    List<Check> checks = new ArrayList<>();
    checks.add(quorums());
    checks.add(eachSlowTimeShows(LatencyCase.SLOW_NODE));
    checks.add(eachSlowTimeShows(LatencyCase.FALSE_SUSPICION));
    checks.add(eachSlowTimeIsAShift(shifts));
    checks.add(trueSuspicionsAreTheStops());
    checks.add(oneWayTimes());
    checks.add(alignment());
    return checks;
  }

  private Check quorums() {
    Periods periods = new Periods();
    Latencies ofMajority = new Latencies(periods);
    Latencies ofAll = new Latencies(periods);
    long wrong = 0;
    for (Event event : history.events("clt")) {
      if (event.body() instanceof StateChange state) {
        OptionalLong majority = number(state, "quorum");
        OptionalLong all = number(state, "all");
        if (majority.isPresent() && all.isPresent()) {
          long atMicros = HlcTimestamp.micros(event.hlc());
          wrong += majority.getAsLong() > all.getAsLong() ? 1 : 0;
          ofMajority.add(majority.getAsLong(), atMicros);
          ofAll.add(all.getAsLong(), atMicros);
        }
      }
    }
    Box majority = ofMajority.box();
    Box all = ofAll.box();
    return new Check(
        String.format(
            Locale.ROOT,
            "in each of %d rounds two of three answer no later than three of three"
                + " (median %d and %d µs, 99 %%: %d and %d µs)",
            all.count(),
            majority.median(),
            all.median(),
            majority.high(),
            all.high()),
        wrong == 0 && all.count() > 0);
  }

  private static OptionalLong number(StateChange state, String variable) {
    return state.changes().stream()
        .filter(change -> change.variable().equals(variable))
        .mapToLong(change -> change.value() instanceof LongValue number ? number.value() : -1)
        .findFirst();
  }

  private static long number(Assignment assignment) {
    return assignment.value() instanceof LongValue number ? number.value() : -1;
  }

  /** A stall makes a suspicion one with reason, so that times with one do not count. */
  private Check eachSlowTimeShows(Question question) throws StageException, IOException {
    List<Match> stretches = history.intervals(question);
    List<LinkFault> slow = faults.stream().filter(fault -> !fault.isStop()).toList();
    List<LinkFault> counted = slow.stream().filter(fault -> !hasStall(fault)).toList();
    long shown =
        counted.stream()
            .filter(
                fault ->
                    stretches.stream().anyMatch(s -> fault.contains(HlcTimestamp.micros(s.hlc()))))
            .count();
    return new Check(
        "\"%s\" holds in each of %d times with slow links (%d stretches, %d times left out for stalls)"
            .formatted(
                question.title(), counted.size(), stretches.size(), slow.size() - counted.size()),
        shown == counted.size());
  }

  /** On a busy machine, a shift may have begun before. */
  private Check eachSlowTimeIsAShift(List<Shifts> shifts) {
    List<Shifts> ofSlowNode =
        shifts.stream().filter(found -> found.node().equals(LatencyScene.SLOW)).toList();
    List<LinkFault> slow =
        faults.stream().filter(fault -> !fault.isStop() && !hasStall(fault)).toList();
    long found =
        slow.stream()
            .filter(
                fault ->
                    ofSlowNode.stream()
                        .flatMap(node -> node.stretches().stream())
                        .anyMatch(
                            shift ->
                                shift.answeredMicros() <= fault.calmMicros()
                                    && fault.beganMicros() <= shift.lastAnsweredMicros()))
            .count();
    return new Check(
        "a shift of %s is found in %d of %d times with slow links"
            .formatted(LatencyScene.SLOW, found, slow.size()),
        found == slow.size());
  }

  private boolean hasStall(LinkFault fault) {
    return stalls.stream()
        .anyMatch(
            stall ->
                stall.beganMicros() <= fault.endedMicros()
                    && fault.beganMicros() <= stall.endedMicros() + TOLERANCE_MICROS);
  }

  /**
   * A machine that gives a node no processor stops it as well: that node has noted it, and the
   * suspicion has a reason.
   */
  private Check trueSuspicionsAreTheStops() throws StageException, IOException {
    List<Match> stretches = history.intervals(LatencyCase.TRUE_SUSPICION);
    List<LinkFault> stops = faults.stream().filter(LinkFault::isStop).toList();
    boolean holds =
        stops.stream().allMatch(stop -> stretches.stream().filter(s -> isOf(stop, s)).count() == 1);
    List<Match> others =
        stretches.stream().filter(s -> stops.stream().noneMatch(stop -> isOf(stop, s))).toList();
    long stalled = others.stream().filter(this::beginsInStall).count();
    return new Check(
        "%d stops, %d suspicions with reason, one in each stop (%d others, all in stalls that the nodes noted)"
            .formatted(stops.size(), stretches.size(), others.size()),
        holds && stalled == others.size());
  }

  private static boolean isOf(LinkFault stop, Match stretch) {
    long start = HlcTimestamp.micros(stretch.hlc());
    long end =
        stretch.cells().get("endHlc") instanceof TimestampValue last
            ? HlcTimestamp.micros(last.packed())
            : 0;
    return stop.beganMicros() < start
        && start < stop.endedMicros()
        && stop.endedMicros() <= end + TOLERANCE_MICROS
        && end <= stop.calmMicros();
  }

  private boolean beginsInStall(Match stretch) {
    long start = HlcTimestamp.micros(stretch.hlc());
    return stalls.stream()
        .anyMatch(
            stall ->
                stall.beganMicros() <= start + TOLERANCE_MICROS
                    && start <= stall.endedMicros() + TOLERANCE_MICROS);
  }

  /** The bounds that each node measures contain the offset that was set. */
  private Check oneWayTimes() {
    int count = 0;
    boolean holds = true;
    for (String node : LatencyScene.NODES) {
      for (String peer : LatencyScene.NODES) {
        if (!node.equals(peer)) {
          Optional<Long> low = last("low_" + peer, node);
          Optional<Long> high = last("high_" + peer, node);
          long known = skew(peer) - skew(node);
          holds &= low.isPresent() && low.get() <= known;
          holds &= high.isPresent() && known <= high.get();
          count++;
        }
      }
    }
    return new Check(
        "the one-way times of %d pairs allow the offsets that were set".formatted(count), holds);
  }

  private Optional<Long> last(String variable, String node) {
    return history.assignments("clt", variable).stream()
        .filter(bound -> bound.node().equals(node))
        .reduce((first, last) -> last)
        .map(LatencyOracle::number);
  }

  private static long skew(String node) {
    return LatencyScene.SKEW_MICROS.getOrDefault(node, 0L);
  }

  /**
   * So do the bounds of the log server, from the stamps and the messages alone. The nodes continue
   * to ping, so that an offset that a step of a clock has reset is known again after a while.
   */
  private Check alignment() throws StageException {
    Deadline deadline = Deadline.in(alignmentPatience);
    Optional<String> driver = history.driverNode();
    List<NodeAlignment> nodes = history.alignment();
    try {
      while (!areKnown(nodes, driver) && !deadline.hasPassed()) {
        Deadline.sleep(POLL);
        driver = history.driverNode();
        nodes = history.alignment();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while waiting for the offsets of clocks", e);
    }
    // Those that were known above: others, read again, may have been reset since.
    return areAllowed(nodes, driver);
  }

  private static boolean areKnown(List<NodeAlignment> nodes, Optional<String> driver) {
    return driver.isPresent()
        && nodes.size() == LatencyScene.NODES.size()
        && nodes.stream()
            .filter(node -> !node.node().equals(driver.get()))
            .allMatch(node -> node.offset().filter(LatencyOracle::isBounded).isPresent());
  }

  private static boolean isBounded(Offset offset) {
    return offset.lowMicros().isPresent() && offset.highMicros().isPresent();
  }

  private static Check areAllowed(List<NodeAlignment> nodes, Optional<String> driver) {
    List<String> found = new ArrayList<>();
    boolean holds = areKnown(nodes, driver);
    for (NodeAlignment node : nodes) {
      if (driver.isPresent() && !node.node().equals(driver.get())) {
        long known = skew(driver.get()) - skew(node.node());
        Optional<Offset> offset = node.offset();
        holds &= offset.filter(bounds -> allows(bounds, known)).isPresent();
        found.add(
            node.node()
                + offset.map(o -> " " + o.estimateMicros() + " µs, set " + known).orElse(" ?"));
      }
    }
    return new Check(
        "the log server's offsets allow those that were set: " + String.join(", ", found), holds);
  }

  private static boolean allows(Offset bounds, long micros) {
    return bounds.lowMicros().orElse(Long.MAX_VALUE) <= micros
        && micros <= bounds.highMicros().orElse(Long.MIN_VALUE);
  }
}
