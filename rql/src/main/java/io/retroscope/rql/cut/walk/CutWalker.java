// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.walk;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.PerBlock;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.batch.BatchWalk;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietBlock;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.batch.Rows;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.presence.SilentNodes;
import io.retroscope.rql.cut.state.BlockNames;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.NodeTable;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A walk that moves a state from cut to cut, over history and then as the watermark moves. Used by
 * one thread.
 */
public final class CutWalker {
  /*
   * There is one walk. History is a single advance to the end of the range, and a live query is
   * many small advances to each new watermark. The result does not depend on where one advance ends
   * and the next begins, so both yield the same rows.
   *
   * All events of one stamp are applied before the listener is called, because events of different
   * nodes with equal stamps are concurrent and belong to one cut.
   *
   * The walk starts from the exact state at the start of the range. The storage supplies events
   * that lead to this state, possibly all events before it. They are applied without cuts and
   * without warnings about events before the range.
   */
  private static final long NEVER = CutTimers.NEVER;

  private final CutState state;
  private final Interest interest;
  private final long readsFrom;
  private final long start;
  private final CutTimers timers;
  private final @Nullable LiveNodes liveNodes;
  private final CutListener listener;
  private final BatchWalk batchWalk;
  private final QuietBlock quietBlock;
  private final EventWarning.Made warned = new EventWarning.Made();
  private final PerBlock<BlockNames> names;
  private @Nullable SilentNodes silentNodes;
  private int appliedNode = NodeTable.NONE;
  private long appliedHlc;
  private long position = HlcTimestamp.MIN_PACKED;
  private Phase phase = Phase.NEW;
  private boolean isKnownBefore; // whether there are events before readsFrom
  private long eventsRead;
  private long blocksPassed;

  /** The list of {@link #arrivals}; it stays the same list until another node arrives. */
  private List<Sighting> arrived = List.of();

  private Upcoming<Sighting> arrivals = new Upcoming<>(Collections.emptyIterator());

  /** How far a walk has come; it only moves to later phases. */
  private enum Phase {
    /** Nothing is applied. */
    NEW,

    /** Events below the first stamp of a slice are applied; an earlier slice has warned of them. */
    BEFORE_SLICE,

    /** Events below {@code readsFrom} are applied, without cuts. */
    BEFORE_CUTS,

    /** Cuts before the range are reported as earlier ones. */
    EARLIER,

    /** The cuts of the range are reported. */
    IN_RANGE
  }

  /**
   * Creates a walk that has not begun.
   *
   * @param batch the one over which the listener's rules are compiled
   * @param usesAges whether the listener uses the ages of values
   * @param readsFrom packed, the first stamp of which the listener receives cuts, at most the start
   * @param start packed, the first stamp of the range
   * @param liveNodes tracks the live nodes; null if that does not matter
   */
  public CutWalker(
      CutBatch batch,
      Set<String> logs,
      boolean usesAges,
      long readsFrom,
      long start,
      CutTimers timers,
      @Nullable LiveNodes liveNodes,
      CutListener listener) {
    this.state = batch.state();
    this.interest = new StateInterest(state, Set.copyOf(logs), usesAges, listener);
    this.readsFrom = readsFrom;
    this.start = start;
    this.timers = timers;
    this.liveNodes = liveNodes;
    this.listener = listener;
    this.batchWalk = new BatchWalk(batch);
    this.quietBlock = new QuietBlock(batch);
    this.names = new PerBlock<>(block -> new BlockNames(state, block));
  }

  /** Reports to the listener which nodes are silent, in a walk that has not begun. */
  public void follow(SilentNodes silent) {
    silentNodes = silent;
  }

  /**
   * What it reads, while one of its listeners wants it: the walk of several queries may have ended
   * before each of them has its answer.
   */
  public Interest interestOf(CutListener one) {
    return new StateInterest(state, interest.logs(), interest.usesAges(), one);
  }

  /** The number of events read from storage. */
  public long eventsRead() {
    return eventsRead;
  }

  /** The number of blocks that were not read, because their zones answered for them. */
  public long blocksPassed() {
    return blocksPassed;
  }

  /** The packed stamp of the next cut that the passing of time makes. */
  public long nextTimer() {
    return timers.next();
  }

  /** The packed stamp up to which all events are applied. */
  public long position() {
    return position;
  }

  /**
   * Walks up to and including a stamp.
   *
   * @param view holds every event up to there
   * @return whether the listener wants more
   */
  public boolean advance(View view, long until) {
    if (phase != Phase.NEW && until <= position) {
      return true;
    }
    return walkTo(view, until) && endAt(until);
  }

  /**
   * Walks up to and including a stamp at which the walk only waits: the listener does not learn of
   * it. The walk continues with another call, and ends with {@link #endAt}.
   *
   * @param view holds every event up to there
   * @return whether the listener wants more
   */
  public boolean walkTo(View view, long until) {
    continueIn(view);
    boolean continues = true;
    long from = position + 1;
    if (phase == Phase.NEW) {
      phase = Phase.BEFORE_CUTS;
      boolean isOfAll = readsFrom == HlcTimestamp.MIN_PACKED;
      continues = isOfAll || goToStart(view, until);
      from = isOfAll ? HlcTimestamp.MIN_PACKED : position + 1;
    }
    HlcRange range = new HlcRange(from, until);
    if (continues && range.from() <= until) {
      continues = walk(view.scan(interest, range), sightings(view, range), until);
    }
    return continues;
  }

  /**
   * Passes over all stamps up to another one, of which no event and no timer matters to the walk;
   * the walk has begun, and does not depend on heartbeats.
   *
   * @param view holds every event up to there
   */
  public void passTo(View view, long until) {
    continueIn(view);
    position = Math.max(position, until);
  }

  private void continueIn(View view) {
    isKnownBefore = view.extent().map(stored -> stored.from() < readsFrom).orElse(false);
    List<Sighting> all = view.arrivals();
    if (all != arrived) {
      arrived = all;
      arrivals = new Upcoming<>(all.iterator());
    }
    if (silentNodes != null) {
      silentNodes.continueIn(view);
    }
    boolean isOfAll = readsFrom == HlcTimestamp.MIN_PACKED;
    state.signs().continueIn(view, isOfAll ? position : Math.max(position, readsFrom - 1));
  }

  /**
   * Ends an advance at the stamp to which it has walked.
   *
   * @return whether the listener wants more
   */
  public boolean endAt(long until) {
    if (isStartDue(until) && !reportStart()) {
      return false;
    }
    if (isInRange()) {
      reportSilent(until);
    }
    if (!reach(until)) {
      return false;
    }
    if (isInRange()) {
      meetArrivals(until);
    }
    return true;
  }

  /**
   * Walks a slice of history as a walk does that comes from before it: the first stamp of the slice
   * is not the start of a range. The walk must not have begun, and nothing else may matter than
   * rows; the start of this walk is the first stamp of the slice.
   *
   * @param view holds every event up to the end of the slice
   * @return whether the listener wants more
   */
  public boolean continueIn(View view, HlcRange slice) {
    phase = Phase.BEFORE_SLICE;
    state.signs().continueIn(view, position);
    arrivals = new Upcoming<>(view.arrivals().iterator());
    Iterator<Sighting> none = Collections.emptyIterator();
    boolean continues = walk(view.stateBefore(interest, slice.from()), none, slice.from() - 1);
    if (!continues || listener.isCancelled()) {
      return false;
    }
    phase = Phase.IN_RANGE;
    meetNodes(slice.from() - 1);
    return walk(view.scan(interest, slice), none, slice.to()) && listener.reached(slice.to());
  }

  /**
   * Shows the state at a stamp without a cut, with the nodes that were found by then.
   *
   * @param stamp packed; every event up to it is applied, and none above it
   */
  public void show(long stamp) {
    state.begin(stamp);
    meetNodes(stamp);
  }

  /** Moves to the state just before {@code readsFrom}, or as far as the view reaches. */
  private boolean goToStart(View view, long until) {
    long before = readsFrom <= until ? readsFrom : until + 1;
    Iterator<Sighting> lately =
        liveNodes == null ? Collections.emptyIterator() : sightings(view, liveNodes.before(before));
    return walk(view.stateBefore(interest, before), lately, before - 1) && !listener.isCancelled();
  }

  /**
   * Reports the state just before {@code readsFrom}, if it is before the range and events made it.
   */
  private void lookBack(long stamp) {
    if (stamp >= readsFrom && phase == Phase.BEFORE_CUTS) {
      phase = Phase.EARLIER;
      if (readsFrom < start && isKnownBefore) {
        show(readsFrom - 1);
        listener.earlier(readsFrom - 1);
      }
    }
  }

  private Iterator<Sighting> sightings(View view, HlcRange range) {
    return liveNodes == null ? Collections.emptyIterator() : view.sightings(range);
  }

  private boolean walk(ArrivalWindow scanned, Iterator<Sighting> heard, long until) {
    Rows rows = new Rows(scanned, names);
    Upcoming<Sighting> sightings = new Upcoming<>(heard);
    boolean continues = passBlocks(rows, until);
    while (continues) {
      long stamp = nextStamp(rows, sightings);
      long entrance = isInRange() ? listener.entrance() : NEVER;
      if (stamp > start && isStartDue(until)) {
        continues = reportStart(); // Before the next event, because it may set timers.
      } else if (entrance < stamp && entrance <= until) {
        continues = reach(entrance); // It may set timers as well.
      } else if (stamp > until || stamp == NEVER) {
        position = until;
        return true;
      } else {
        continues = passesQuietly(rows, until) ? reportPassed() : step(stamp, rows, sightings);
      }
      continues = continues && passBlocks(rows, until);
    }
    return false;
  }

  /** Passes over cuts for which the listener has a rule; returns false if there is none. */
  private boolean passesQuietly(Rows rows, long until) {
    QuietRule rule = quietRule();
    return rule != null && batchWalk.pass(rows, rule, lastQuiet(until));
  }

  /** Passes over whole blocks without reading them; returns whether the listener wants more. */
  private boolean passBlocks(Rows rows, long until) {
    boolean continues = true;
    BlockSource block = rows.unread();
    while (continues && block != null) {
      QuietRule rule = quietRule();
      LongZone zone = rule == null || block.lastHlc() > lastQuiet(until) ? null : block.longZone();
      if (rule == null || zone == null || !quietBlock.pass(zone, rule)) {
        return true;
      }
      rows.skip();
      blocksPassed++;
      state.begin(block.lastHlc());
      long cuts = quietBlock.cuts();
      continues = reportPassed(cuts, cuts, quietBlock.lastCut(), block.lastHlc());
      block = rows.unread();
    }
    return continues;
  }

  /** The rule of the listener; before the range, of which no cut matters, one that always holds. */
  private @Nullable QuietRule quietRule() {
    boolean begins = !isInRange() && readsFrom == HlcTimestamp.MIN_PACKED;
    if (liveNodes != null || begins || state.keepsWrites()) {
      return null;
    }
    QuietRule rule = isInRange() ? listener.quietRule() : QuietRule.ALWAYS;
    if (rule != null) {
      state.endMomentary();
    }
    return rule;
  }

  /** The last stamp up to which nothing but rows can make a cut matter. */
  private long lastQuiet(long until) {
    long last = isInRange() ? until : Math.min(until, readsFrom - 1);
    Sighting arrival = arrivals.next();
    long next = arrival == null ? NEVER : arrival.hlc();
    next = Math.min(next, Math.min(timers.next(), listener.deadline()));
    return next == NEVER ? last : Math.min(last, next - 1);
  }

  private boolean reportPassed() {
    state.begin(batchWalk.lastHlc());
    eventsRead += batchWalk.events();
    return reportPassed(
        batchWalk.cuts(), batchWalk.events(), batchWalk.lastCut(), batchWalk.lastHlc());
  }

  /** Reports cuts that were passed over; those before the range do not matter to the listener. */
  private boolean reportPassed(long cuts, long events, long lastCut, long hlc) {
    if (!isInRange()) {
      return listener.reached(hlc);
    }
    reportSilent(hlc);
    return listener.passed(cuts, events, lastCut, hlc);
  }

  private boolean step(long stamp, Rows rows, Upcoming<Sighting> sightings) {
    lookBack(stamp);
    boolean inRange = stamp >= start;
    if (!reach(stamp)) {
      return false;
    }
    if (stamp == start && !isInRange()) {
      reportBeforeStart();
    }
    state.begin(stamp);
    if (liveNodes != null) {
      Sighting seen = sightings.next();
      for (; seen != null && seen.hlc() == stamp; seen = sightings.next()) {
        liveNodes.see(seen);
        sightings.advance();
      }
    }
    for (; rows.has() && rows.hlc() == stamp; rows.advance()) {
      BlockNames names = rows.names();
      int row = rows.row();
      if (liveNodes != null && state.concerns(names, row)) {
        liveNodes.see(names.nodeName(row), stamp, names.block().kind(row));
      }
      apply(names, row, stamp);
    }
    if (liveNodes != null) {
      liveNodes.expire(stamp);
    }
    boolean timely = timers.fire(state);
    if (stamp < readsFrom || (state.touched().isEmpty() && !timely)) {
      return true;
    }
    if (!inRange) {
      meetNodes(stamp);
      listener.earlier(stamp);
      return !listener.isCancelled();
    }
    phase = Phase.IN_RANGE;
    meetNodes(stamp);
    // A run may have to end right after this stamp, with values that hold at exactly this stamp.
    boolean isUncovered = liveNodes != null || batchWalk.isDecided() || state.hasMomentary();
    QuietRule rule = isUncovered ? null : listener.quietRule();
    return (rule != null && rule.isQuiet())
        ? listener.passed(1, 0, stamp, stamp)
        : listener.cut(stamp);
  }

  private void apply(BlockNames names, int row, long hlc) {
    eventsRead++;
    String refusal = state.apply(names, row);
    warnOfTwoRuns(names, row, hlc);
    if (hlc < start) {
      return;
    }
    if (refusal != null) {
      warn(names.nodeName(row), hlc, "was ignored: " + refusal);
    }
    if (names.block().isMarked(row, EventMark.REPAIR)) {
      String what = "repeats a value that was dropped: rows shortly before it may be out of date";
      warn(names.nodeName(row), hlc, what);
    }
    if (names.block().isMarked(row, EventMark.UNORDERED)) {
      String what = "received a stamp that was refused: it may precede its cause";
      warn(names.nodeName(row), hlc, what);
    }
  }

  /**
   * Warns about events before the range as well, because the state at its start may depend on them.
   */
  private void warnOfTwoRuns(BlockNames names, int row, long hlc) {
    if (phase == Phase.BEFORE_SLICE || !state.concerns(names, row)) {
      return;
    }
    int node = names.node(row);
    if (node == appliedNode && hlc == appliedHlc) {
      String what =
          "has the same stamp as an event of another run: the event of the later run is used";
      warn(names.nodeName(row), hlc, what);
    }
    appliedNode = node;
    appliedHlc = hlc;
  }

  private void warn(String node, long hlc, String what) {
    EventWarning warning = new EventWarning(node, hlc, what);
    if (warned.add(warning)) {
      listener.warning(warning);
    }
  }

  /**
   * Reports to the listener that everything below a stamp is known. It may show the state at one of
   * its deadlines before, at which the nodes must be those that were found by then.
   */
  private boolean reach(long stamp) {
    if (!isInRange()) {
      return listener.reached(stamp); // Deadlines begin with the range.
    }
    for (long next = listener.deadline(); next < stamp; next = listener.deadline()) {
      meetArrivals(next - 1);
      if (!listener.reached(next)) {
        return false;
      }
    }
    meetArrivals(stamp - 1);
    return listener.reached(stamp);
  }

  /** Reports the state that the first events of the range find, if it may matter. */
  private void reportBeforeStart() {
    if (start > HlcTimestamp.MIN_PACKED) {
      show(start - 1);
      listener.beforeStart();
    }
  }

  private boolean isInRange() {
    return phase == Phase.IN_RANGE;
  }

  private boolean isStartDue(long until) {
    return !isInRange() && until >= start;
  }

  /** Reports the state at the start to the listener, at which there is no cut. */
  private boolean reportStart() {
    lookBack(start);
    phase = Phase.IN_RANGE;
    show(start);
    return listener.start(start);
  }

  /**
   * Adds a node to the cut as soon as any event or heartbeat of it is found, in any log; and
   * reports which nodes are silent there.
   */
  private void meetNodes(long stamp) {
    meetArrivals(stamp);
    reportSilent(stamp);
  }

  private void meetArrivals(long stamp) {
    Sighting arrival = arrivals.next();
    for (; arrival != null && arrival.hlc() <= stamp; arrival = arrivals.next()) {
      state.meet(arrival.node());
      arrivals.advance();
    }
  }

  private void reportSilent(long stamp) {
    if (silentNodes != null) {
      silentNodes.advance(stamp, listener);
    }
  }

  private long nextStamp(Rows rows, Upcoming<Sighting> sightings) {
    long next = timers.next();
    if (rows.has()) {
      next = Math.min(next, rows.hlc());
    }
    if (liveNodes != null) {
      next = Math.min(next, liveNodes.next());
      Sighting seen = sightings.next();
      next = seen == null ? next : Math.min(next, seen.hlc());
    }
    return next;
  }
}
