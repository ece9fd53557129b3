// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.MessageOrder;
import io.retroscope.rql.cut.StampsAhead;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Aligns the clocks of all nodes from their events: determines the driver node, and bounds every
 * node's offset from it. Events may arrive in any order and more than once. Thread-safe.
 *
 * <p>Raw readings are never changed; the result is metadata about them. Its guarantees and the
 * assumptions that they require are described in {@code docs/alignment.md}.
 */
public final class ClockAlignment {
  /*
   * Two kinds of evidence:
   *
   * - Messages whose send and receive were both recorded bound the offset between two nodes. All of
   *   them together bound every offset from both sides, see OffsetEstimator. They need no stamps.
   * - A stamp ahead of its event's own reading was read from a higher clock. That bounds the offset
   *   from the highest clock from below and needs no recorded messages, see NodeClock. It is used
   *   where messages give no bound, and assumes that the highest clock is the reference node's or
   *   one that messages link to it.
   *
   * HAZARD: a stamp is not evidence of the second kind if no clock ever showed it: at or below the
   * floor of a restart, clamped to the offset limit, carried up from an overflowing counter, or
   * from before the highest clock stepped back.
   *
   * Instants are the physical parts of stamps, in microseconds since the first event seen.
   */

  /** The interval between checks for a new driver node. */
  private static final double DRIVER_CHECK_MICROS = 1e6;

  private final AlignmentSettings settings;

  /** The bound on the relative rate of two clocks, as a ratio. */
  private final double rho;

  private final Map<String, NodeClock> nodes = new HashMap<>();
  private final List<NodeClock> nodeList = new ArrayList<>();
  private final OffsetEstimator estimator;
  private final MessageMatcher matcher;
  private final StampLead lead = new StampLead();
  private final DriverLog driverLog;
  private final DriverSearch driverSearch;
  private final MessageMatcher.Matches matches = new MatchedMessages();
  private long originMicros = Long.MIN_VALUE;
  private double nowMicros;
  private double nextDriverCheckMicros;
  private long checkBudget;
  private final StampDoubts doubts = new StampDoubts();
  private final MessageOrder order = new MessageOrder();
  private final StampsAhead ahead = new StampsAhead();

  /** By index of the node. */
  private final List<StampsAhead.Node> stampsOf = new ArrayList<>();

  private long highestMintedMicros = Long.MIN_VALUE;

  /** The answer of {@link #offsets}; null while events have come since the last one. */
  private volatile @Nullable ClockOffsets published;

  /** An alignment that has seen no events. */
  public ClockAlignment(AlignmentSettings settings) {
    this.settings = settings;
    this.rho = settings.rho();
    this.estimator =
        new OffsetEstimator(
            rho,
            settings.maxHistorySlices(),
            (node, gap, sizeMicros) -> nodeList.get(node).narrowed(gap, sizeMicros));
    this.matcher = new MessageMatcher(settings.maxRememberedMessages());
    this.driverLog = new DriverLog(settings.driverWindowMicros());
    this.driverSearch =
        new DriverSearch(nodeList, estimator, lead, driverLog, settings.driverWindowMicros());
  }

  /** The offsets implied by a complete set of events, with default settings. */
  public static ClockOffsets of(Collection<Event> events) {
    return of(events, AlignmentSettings.DEFAULT);
  }

  /** The offsets implied by a complete set of events. */
  public static ClockOffsets of(Collection<Event> events, AlignmentSettings settings) {
    ClockAlignment alignment = new ClockAlignment(settings);
    List<Event> ordered = new ArrayList<>(events);
    ordered.sort(Comparator.comparingLong(Event::hlc));
    ordered.forEach(alignment::record);
    return alignment.offsets();
  }

  /** Adds an event. */
  public synchronized void record(Event event) {
    published = null;
    EventBody body = event.body();
    if (body instanceof EventBody.Start start) {
      doubtUpTo(start.floor(), event.hlc());
      start(node(event.node()), event.hlc());
    }
    record(
        node(event.node()),
        event.hlc(),
        event.physicalMicros(),
        event.marks().contains(EventMark.UNORDERED));
    order.add(event);
    if (body instanceof EventBody.Send send && event.hasPhysical()) {
      send(node(event.node()), send.to(), send.id(), event.hlc(), event.physicalMicros());
    } else if (body instanceof EventBody.Receive receive && event.hasPhysical()) {
      receive(
          node(event.node()), receive.from(), receive.id(), event.hlc(), event.physicalMicros());
    }
  }

  /** Adds all events of a block, without creating event objects. */
  public synchronized void record(EventBlock block) {
    published = null;
    List<NodeClock> clocks = new ArrayList<>(block.nodes().size());
    block.nodes().forEach(name -> clocks.add(node(name)));
    for (int row = 0; row < block.size(); row++) {
      NodeClock clock = clocks.get(block.nodeIndex(row));
      long hlc = block.hlc(row);
      long physicalMicros = block.physicalMicros(row);
      EventKind kind = block.kind(row);
      if (kind == EventKind.START) {
        doubtUpTo(((EventBody.Start) block.body(row)).floor(), hlc);
        start(clock, hlc);
      }
      record(clock, hlc, physicalMicros, block.isMarked(row, EventMark.UNORDERED));
      order.add(block, row);
      if (kind == EventKind.SEND && physicalMicros != Event.NO_PHYSICAL) {
        int change = block.firstChange(row);
        send(clock, block.text(change), block.text(change + 1), hlc, physicalMicros);
      } else if (kind == EventKind.RECEIVE && physicalMicros != Event.NO_PHYSICAL) {
        int change = block.firstChange(row);
        receive(clock, block.text(change), block.text(change + 1), hlc, physicalMicros);
      }
    }
  }

  private void record(NodeClock clock, long hlc, long physicalMicros, boolean unordered) {
    if (physicalMicros == Event.NO_PHYSICAL) {
      return;
    }
    long stampMicros = HlcTimestamp.micros(hlc);
    if (originMicros == Long.MIN_VALUE) {
      originMicros = stampMicros;
    }
    double timeMicros = timeMicros(hlc);
    double aheadMicros = (double) stampMicros - physicalMicros;
    for (ReadingParts.Fall fall : clock.read(hlc, physicalMicros, timeMicros)) {
      steppedBack(clock, fall);
    }
    stampsOf.get(clock.index()).add(hlc, physicalMicros);
    lead.add(aheadMicros, timeMicros);
    if (unordered && stampMicros > highestMintedMicros) {
      doubt(stampMicros, stampMicros);
    }
    if (HlcTimestamp.logical(hlc) >= StampDoubts.HIGH_LOGICAL) {
      doubt(stampMicros + 1, stampMicros);
    }
    if (!doubts.isDoubtful(stampMicros)) {
      // The evidence ages by the node's own clock, which is as much slower than the stamps' scale.
      clock.noteLag(aheadMicros * (1 - rho) - granuleMicros(clock), timeMicros);
      if (aheadMicros > 0) {
        clock.countEvidence(timeMicros);
      } else {
        highestMintedMicros = Math.max(highestMintedMicros, stampMicros);
      }
    }
    checkBudget++;
    if (timeMicros > nowMicros) {
      boolean isLater = Math.floor(timeMicros) > Math.floor(nowMicros);
      nowMicros = timeMicros;
      if (isLater && nowMicros >= nextDriverCheckMicros && checkBudget >= estimator.pairCount()) {
        checkDriver();
      }
    }
  }

  /** Handles a step that the node's own readings show, which requires no message. */
  private void steppedBack(NodeClock clock, ReadingParts.Fall fall) {
    estimator.stepped(clock.index(), (double) fall.sizeMicros(), fall.gap());
    // It may have been the highest: until the others reach its old reading, stamps are no evidence.
    doubt(fall.stampMicros(), fall.stampMicros());
    forgetAcrossSteps();
  }

  /**
   * Notes that all stored events were added: those that arrived meanwhile are the next ones, and
   * may show that a clock was set back since.
   */
  public synchronized void endHistory() {
    published = null;
    for (NodeClock clock : List.copyOf(nodeList)) {
      clock.parts().join().forEach(fall -> steppedBack(clock, fall));
    }
  }

  /** Excludes evidence from stamps across the steps that were found. */
  private void forgetAcrossSteps() {
    StepGaps.Gap gap = estimator.gaps().next();
    while (gap != null) {
      for (NodeClock node : nodeList) {
        node.forgetAcross(gap.fromMicros(), gap.toMicros());
      }
      // Stamps of others may wait at the last one before the step.
      doubt(stampMicros(Math.floor(gap.fromMicros())), stampMicros(gap.toMicros()));
      nextDriverCheckMicros = nowMicros;
      gap = estimator.gaps().next();
    }
  }

  /** After a start, stamps up to the initial floor may not be clock readings. */
  private void doubtUpTo(long floor, long startHlc) {
    if (floor != HlcTimestamp.MIN_PACKED) {
      doubt(HlcTimestamp.micros(startHlc), HlcTimestamp.micros(floor));
    }
  }

  /** Stamps from a start to the last one of the previous run may have been assigned twice. */
  private void start(NodeClock clock, long startHlc) {
    clock.parts().start();
    if (clock.lastStampMicros() >= HlcTimestamp.micros(startHlc)) {
      doubt(HlcTimestamp.micros(startHlc), clock.lastStampMicros());
    }
  }

  private void doubt(long leastMicros, long mostMicros) {
    if (doubts.add(leastMicros, mostMicros) && originMicros != Long.MIN_VALUE) {
      double from = (double) leastMicros - originMicros - 1;
      double to = (double) mostMicros - originMicros + StampDoubts.CARRY_MICROS;
      nodeList.forEach(node -> node.forgetWithin(from, to));
    }
  }

  private void send(NodeClock clock, String to, String id, long hlc, long physicalMicros) {
    matcher.send(
        id, new MessageMatcher.End(clock.index(), clock.name(), to, hlc, physicalMicros), matches);
  }

  private void receive(NodeClock clock, String from, String id, long hlc, long physicalMicros) {
    matcher.receive(
        id,
        new MessageMatcher.End(clock.index(), clock.name(), from, hlc, physicalMicros),
        matches);
  }

  /** Converts matched messages into bounds. */
  private final class MatchedMessages implements MessageMatcher.Matches {
    @Override
    public void matched(MessageMatcher.End send, MessageMatcher.End receive) {
      if (send.node() == receive.node()) {
        return;
      }
      double receivedMicros = timeMicros(receive.hlc());
      nodeList.get(send.node()).countEvidence(receivedMicros);
      nodeList.get(receive.node()).countEvidence(receivedMicros);
      estimator.message(
          send.node(),
          receive.node(),
          boundMicros(send, receive),
          timeMicros(send.hlc()),
          receivedMicros,
          lead.aroundMicros(receivedMicros));
      forgetAcrossSteps();
    }

    @Override
    public void revoked(MessageMatcher.End send, MessageMatcher.End receive) {
      if (send.node() != receive.node()) {
        estimator.revoke(
            send.node(), receive.node(), boundMicros(send, receive), timeMicros(receive.hlc()));
      }
    }

    private double boundMicros(MessageMatcher.End send, MessageMatcher.End receive) {
      NodeClock sender = nodeList.get(send.node());
      NodeClock receiver = nodeList.get(receive.node());
      // Stamps that were ahead of all clocks make evidence look newer than it is.
      double stampLeadMicros = Math.max(leadMicros(send), leadMicros(receive));
      return (double) receive.physicalMicros()
          - send.physicalMicros()
          - settings.minimumDelayMicros(sender.name(), receiver.name())
          + rho * Math.min(stampLeadMicros, StampLead.MAX_LEAD_MICROS)
          + granuleMicros(sender)
          + granuleMicros(receiver);
    }
  }

  private static double leadMicros(MessageMatcher.End end) {
    return HlcTimestamp.micros(end.hlc()) - (double) end.physicalMicros();
  }

  private long granuleMicros(NodeClock clock) {
    return clock.granuleMicros(settings.granuleMicros());
  }

  private NodeClock node(String name) {
    NodeClock clock = nodes.get(name);
    if (clock == null) {
      clock = new NodeClock(name, nodeList.size(), rho);
      nodes.put(name, clock);
      nodeList.add(clock);
      stampsOf.add(ahead.node(name));
      // Its first events may arrive late, and be older than steps that the others have shown.
      for (StepGaps.Gap gap : estimator.gaps().ofAll()) {
        clock.forgetAcross(gap.fromMicros(), gap.toMicros());
      }
    }
    return clock;
  }

  private void checkDriver() {
    nextDriverCheckMicros = nowMicros + DRIVER_CHECK_MICROS;
    checkBudget = 0;
    driverSearch.check(nowMicros);
  }

  /** The current driver node, empty before the first event with a reading. */
  public synchronized Optional<String> driverNode() {
    if (originMicros == Long.MIN_VALUE) {
      return Optional.empty();
    }
    checkDriver();
    return Optional.of(nodeList.get(driverLog.driver()).name());
  }

  /**
   * The currently known offsets, against the current driver node. The result returns the same
   * answer for an instant each time; for an instant that is queried later for the first time, it
   * may include later evidence. Until the next event this is one object, which needs no lock: many
   * readers that come together delay no event.
   */
  public ClockOffsets offsets() {
    ClockOffsets known = published;
    return known == null ? publish() : known;
  }

  private synchronized ClockOffsets publish() {
    ClockOffsets known = published;
    if (known == null) {
      known =
          driverNode().isEmpty()
              ? new Unread()
              : new AlignmentView(this, nodeList.get(driverLog.driver()), drivers());
      published = known;
    }
    return known;
  }

  /** The offsets without any reading: messages can still contradict stamps. */
  private final class Unread implements ClockOffsets {
    @Override
    public Optional<String> referenceNode() {
      return Optional.empty();
    }

    @Override
    public Optional<Offset> offset(String node, long hlc) {
      return Optional.empty();
    }

    @Override
    public List<Incompleteness> contradictions() {
      return ClockAlignment.this.contradictions();
    }
  }

  private List<ClockOffsets.Driver> drivers() {
    return driverLog.reigns().stream()
        .map(
            reign ->
                new ClockOffsets.Driver(
                    nodeList.get(reign.node()).name(), stamp(reign.sinceMicros())))
        .toList();
  }

  /**
   * The offsets of {@link #offsets()}, but against one node, whichever node is the driver.
   *
   * @return unknown offsets if the node has sent no event
   */
  public synchronized ClockOffsets offsetsFrom(String reference) {
    NodeClock clock = nodes.get(reference);
    return clock == null ? ClockOffsets.UNKNOWN : new AlignmentView(this, clock, List.of());
  }

  /**
   * The offsets of all nodes at the newest evidence, against any one node. This is {@link
   * #offsets()} for an arbitrary reference, for simulations that know the true offsets.
   *
   * @return by node; empty for an unknown reference, and without nodes whose offset is unknown
   */
  public synchronized Map<String, Offset> newestOffsets(String reference) {
    Map<String, Offset> found = new HashMap<>();
    find(reference)
        .ifPresent(
            clock -> {
              NodeOffsets offsets = offsetsAt(clock.index(), nowMicros);
              for (NodeClock node : nodeList) {
                offsets.offset(node.index(), 0).ifPresent(o -> found.put(node.name(), o));
              }
            });
    return found;
  }

  /** As {@link ClockOffsets#contradictions}. */
  List<Incompleteness> contradictions() {
    List<Incompleteness> found = new ArrayList<>(order.contradictions());
    found.addAll(ahead.ranges());
    return found;
  }

  /** The number of clock steps found, of which the oldest may have been dropped. */
  public synchronized int stepCount() {
    return estimator.steps().size();
  }

  /** The instant of a packed stamp; those of two stamps have the order of the stamps. */
  double timeMicros(long hlc) {
    return HlcTimestamp.micros(hlc)
        - originMicros
        + HlcTimestamp.logical(hlc) / (HlcTimestamp.MAX_LOGICAL + 1.0);
  }

  /** The packed stamp of an instant. */
  long stamp(double timeMicros) {
    return HlcTimestamp.pack(
        Math.max(0, Math.min(HlcTimestamp.MAX_MICROS, stampMicros(timeMicros))));
  }

  private long stampMicros(double timeMicros) {
    return originMicros + Math.round(timeMicros);
  }

  /**
   * Whether a node's clock stepped, or may have, after one of its instants and not after another.
   */
  synchronized boolean mayHaveStepped(String node, double fromMicros, double toMicros) {
    NodeClock clock = nodes.get(node);
    return clock != null
        && (estimator.gaps().meet(clock.index(), fromMicros, toMicros)
            || clock.parts().fallBetweenParts(fromMicros, toMicros));
  }

  /** Whether a step was found, or is possible, in an interval. */
  synchronized boolean mayHaveStepped(double fromMicros, double toMicros) {
    return estimator.gaps().meet(fromMicros, toMicros);
  }

  /** The instant of the newest event. */
  synchronized double nowMicros() {
    return nowMicros;
  }

  /** The bound on the relative rate of two clocks, as a ratio. */
  double rho() {
    return rho;
  }

  /** All nodes that have sent events. Guarded by this. */
  List<NodeClock> nodes() {
    return nodeList;
  }

  /** The node of this name, empty if it has sent no event. Guarded by this. */
  Optional<NodeClock> find(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** The contradictions found, oldest first. Guarded by this. */
  List<ClockStep> steps() {
    return estimator.steps();
  }

  /** The offsets of all nodes at an instant. */
  synchronized NodeOffsets offsetsAt(int reference, double instantMicros) {
    OffsetFrame frame = frameAt(reference, instantMicros);
    return NodeOffsets.of(frame, nodeList, instantMicros, lead.aroundMicros(instantMicros));
  }

  /** The offsets of all nodes at an instant from messages alone. */
  synchronized OffsetFrame frameAt(int reference, double instantMicros) {
    double lagMicros = lead.aroundMicros(instantMicros);
    OffsetFrame frame = estimator.frameAt(reference, instantMicros, lagMicros);
    // No stamp is further below the highest clock than its node's clock is.
    double aboveMicros = Math.max(0, nodeList.get(reference).aheadAt(instantMicros, 0));
    double spreadMicros = Math.min(frame.spreadMicros(aboveMicros), StampLead.MAX_LEAD_MICROS);
    if (spreadMicros <= lagMicros) {
      return frame;
    }
    lead.add(spreadMicros + rho * spreadMicros, instantMicros);
    return estimator.frameAt(reference, instantMicros, lead.aroundMicros(instantMicros));
  }
}
