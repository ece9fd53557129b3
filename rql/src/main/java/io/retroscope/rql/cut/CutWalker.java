package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import java.util.Collections;
import java.util.HashSet;
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
  private static final int WARNING_LIMIT = 100;

  private final CutState state;
  private final Interest interest;
  private final long start;
  private final CutTimers timers;
  private final @Nullable LiveNodes liveNodes;
  private final CutListener listener;
  private final Set<String> warned = new HashSet<>();
  private @Nullable Event applied;
  private long position = HlcTimestamp.MIN_PACKED;
  private boolean fresh = true;
  private boolean started;
  private long eventsRead;

  /** The list of {@link #arrivals}; it stays the same list until another node arrives. */
  private List<Sighting> arrived = List.of();

  private Upcoming<Sighting> arrivals = new Upcoming<>(Collections.emptyIterator());

  /**
   * Creates a walk that has not begun.
   *
   * @param usesAges whether the listener uses the ages of values
   * @param start packed, the first stamp of the range
   * @param liveNodes tracks the live nodes; null if that does not matter
   */
  public CutWalker(
      CutState state,
      Set<String> logs,
      boolean usesAges,
      long start,
      CutTimers timers,
      @Nullable LiveNodes liveNodes,
      CutListener listener) {
    this.state = state;
    this.interest = new OwnInterest(Set.copyOf(logs), usesAges);
    this.start = start;
    this.timers = timers;
    this.liveNodes = liveNodes;
    this.listener = listener;
  }

  /** The number of events read from storage. */
  public long eventsRead() {
    return eventsRead;
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
    if (!fresh && until <= position) {
      return true;
    }
    List<Sighting> all = view.arrivals();
    if (all != arrived) {
      arrived = all;
      arrivals = new Upcoming<>(all.iterator());
    }
    boolean continues = !fresh || start == HlcTimestamp.MIN_PACKED || goToStart(view, until);
    HlcRange range = new HlcRange(fresh ? HlcTimestamp.MIN_PACKED : position + 1, until);
    fresh = false;
    if (continues && range.from() <= until) {
      continues = walk(view.scan(interest, range), sightings(view, range), until);
    }
    return continues && startIfDue(until) && listener.reached(until);
  }

  /** Moves to the state just before the range, or as far as the view reaches. */
  private boolean goToStart(View view, long until) {
    fresh = false;
    long before = start <= until ? start : until + 1;
    Iterator<Sighting> lately =
        liveNodes == null ? Collections.emptyIterator() : sightings(view, liveNodes.before(before));
    return walk(view.stateBefore(interest, before), lately, before - 1) && !listener.isCancelled();
  }

  private Iterator<Sighting> sightings(View view, HlcRange range) {
    return liveNodes == null ? Collections.emptyIterator() : view.sightings(range);
  }

  private boolean walk(Iterator<Event> scanned, Iterator<Sighting> heard, long until) {
    Upcoming<Event> events = new Upcoming<>(scanned);
    Upcoming<Sighting> sightings = new Upcoming<>(heard);
    long stamp = nextStamp(events, sightings);
    while (stamp <= until && stamp != CutTimers.NEVER) {
      if (!step(stamp, events, sightings)) {
        return false;
      }
      stamp = nextStamp(events, sightings);
    }
    position = until;
    return true;
  }

  /**
   * Applies the events that a node recorded in a range that was walked without it; makes no cut.
   *
   * @param view holds every event of the node in the range
   */
  public void catchUp(View view, String node, HlcRange range) {
    Iterator<Event> events = view.scan(interest, range);
    while (events.hasNext()) {
      Event event = events.next();
      if (event.node().equals(node)) {
        apply(event);
      }
    }
    state.endMomentary();
  }

  private boolean step(long stamp, Upcoming<Event> events, Upcoming<Sighting> sightings) {
    boolean inRange = stamp >= start;
    if (inRange && stamp > start && !startIfDue(stamp)) {
      return false;
    }
    if (!listener.reached(stamp)) {
      return false;
    }
    state.begin(stamp);
    if (liveNodes != null) {
      for (; sightings.next != null && sightings.next.hlc() == stamp; sightings.advance()) {
        liveNodes.see(sightings.next);
      }
    }
    for (; events.next != null && events.next.hlc() == stamp; events.advance()) {
      if (liveNodes != null) {
        liveNodes.see(events.next);
      }
      apply(events.next);
    }
    if (liveNodes != null) {
      liveNodes.expire(stamp);
    }
    boolean timely = timers.fire(state);
    if (!inRange || (state.touched().isEmpty() && !timely)) {
      return true;
    }
    started = true;
    meetNodes(stamp);
    return listener.cut(stamp);
  }

  private void apply(Event event) {
    eventsRead++;
    String refusal = state.apply(event);
    warnOfTwoRuns(event);
    if (event.hlc() < start) {
      return;
    }
    if (refusal != null) {
      warn(event, "was ignored: " + refusal);
    }
    if (!event.marks().isEmpty()) {
      if (event.marks().contains(EventMark.REPAIR)) {
        warn(event, "repeats a value that was dropped: rows shortly before it may be out of date");
      }
      if (event.marks().contains(EventMark.UNORDERED)) {
        warn(event, "received a stamp that was refused: it may precede its cause");
      }
    }
  }

  /**
   * Warns about events before the range as well, because the state at its start may depend on them.
   */
  private void warnOfTwoRuns(Event event) {
    if (!state.concerns(event)) {
      return;
    }
    Event before = applied;
    applied = event;
    if (before != null && before.hlc() == event.hlc() && before.node().equals(event.node())) {
      warn(
          event,
          "has the same stamp as an event of another run: the event of the later run is used");
    }
  }

  private void warn(Event event, String what) {
    if (warned.size() < WARNING_LIMIT && warned.add(event.node() + "\0" + what)) {
      listener.warning(
          "node %s: the event at %s %s"
              .formatted(event.node(), new HlcTimestamp(event.hlc()), what));
    }
  }

  /** Reports the state at the start to the listener, unless there was a cut at the start. */
  private boolean startIfDue(long stamp) {
    if (started || stamp < start) {
      return true;
    }
    started = true;
    state.begin(start);
    meetNodes(start);
    return listener.start(start);
  }

  /** Adds a node to the cut as soon as any event or heartbeat of it is found, in any log. */
  private void meetNodes(long stamp) {
    for (; arrivals.next != null && arrivals.next.hlc() <= stamp; arrivals.advance()) {
      state.meet(arrivals.next.node());
    }
  }

  private long nextStamp(Upcoming<Event> events, Upcoming<Sighting> sightings) {
    long next = timers.next();
    if (events.next != null) {
      next = Math.min(next, events.next.hlc());
    }
    if (liveNodes != null) {
      next = Math.min(next, liveNodes.next());
      if (sightings.next != null) {
        next = Math.min(next, sightings.next.hlc());
      }
    }
    return next;
  }

  /** The interest in the variables of the state. */
  private final class OwnInterest implements Interest {
    private final Set<String> logs;
    private final boolean usesAges;

    OwnInterest(Set<String> logs, boolean usesAges) {
      this.logs = logs;
      this.usesAges = usesAges;
    }

    @Override
    public Set<String> logs() {
      return logs;
    }

    @Override
    public boolean follows(String log, String variable) {
      return state.follows(log, variable);
    }

    @Override
    public boolean counts(String node) {
      return state.counts(node);
    }

    @Override
    public boolean usesAges() {
      return usesAges;
    }

    @Override
    public boolean isCancelled() {
      return listener.isCancelled();
    }
  }

  /** An iterator with access to its next element. */
  private static final class Upcoming<T> {
    private final Iterator<T> rest;
    private @Nullable T next;

    Upcoming(Iterator<T> rest) {
      this.rest = rest;
      advance();
    }

    void advance() {
      next = rest.hasNext() ? rest.next() : null;
    }
  }
}
