package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Presence.Stay;
import io.retroscope.rql.plan.QueryPlan;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The warning of a query about nodes that fell silent without recording a stop, although it still
 * uses their last values: they may have crashed. Used by one thread.
 */
final class SilenceWarnings {
  /*
   * A node that is silent at the end of the range is named, wherever its silence began. A pause
   * from which a node returned is named only if the cut of a row is within it. Whether the query
   * uses values of the node follows from the state of the walk: after a stop, none are left.
   *
   * Nodes are examined when the walk has reached the end of its range, not at its cuts; in a STREAM
   * at most four times per second of stamps.
   */
  static final int MAX_NAMED = 5;

  /** The maximum number of warnings of a STREAM, whose answer has no end. */
  private static final int MAX_WARNINGS = 20;

  /** The maximum number of finished pauses that are considered. */
  private static final int MAX_PAUSES = 100_000;

  /** The limit of a node that promises no heartbeats is at least this, in microseconds. */
  private static final long UNPROMISED_MICROS = 10_000_000;

  /** Its limit is at least this multiple of its longest gap. */
  private static final long GAPS = 10;

  /** Fewer sightings have no gap to compare with. */
  private static final int MIN_SIGHTINGS = 3;

  private static final long RECHECK_MICROS = 250_000;

  /** Stamps before 1980 are no readings of a clock: an import of ShiViz logs counts from 1970. */
  private static final long FIRST_READING_MICROS = 315_532_800_000_000L;

  private final RowSink sink;
  private final QueryPlan plan;
  private final long idleTimeoutMicros;

  /** Whether the query uses the last value of a node in the state that the walk has reached. */
  private Predicate<String> usesValuesOf;

  private final boolean isActive;

  /** The finished pauses by their first stamp, for each node that is not named yet. */
  private final Map<String, NavigableMap<Long, Long>> pauses = new TreeMap<>();

  private final SortedMap<String, String> news = new TreeMap<>(NaturalOrder.INSTANCE);

  /** The nodes that were named as silent and have not returned. */
  private final Set<String> silent = new HashSet<>();

  private boolean begun;
  private long dueHlc = HlcTimestamp.MIN_PACKED;
  private int warnings;

  SilenceWarnings(QueryPlan plan, long idleTimeoutMicros, RowSink sink) {
    this.plan = plan;
    this.idleTimeoutMicros = idleTimeoutMicros;
    this.sink = sink;
    this.usesValuesOf = new ValuedNodes(plan)::has;
    this.isActive = !plan.input().liveNodes();
  }

  /** Sets the nodes of which the query uses values, if another walk has reached the state. */
  void setValued(Set<String> nodes) {
    usesValuesOf = nodes::contains;
  }

  /** Finds the pauses of history, before its rows. Later calls do nothing. */
  void begin(View view, HlcRange range) {
    if (begun || !isActive) {
      return;
    }
    begun = true;
    int count = 0;
    for (Presence presence : view.presences()) {
      count += count < MAX_PAUSES ? findPauses(presence, range) : 0;
    }
  }

  /** Adds the pauses of a node that promises heartbeats; those of others are not distinguished. */
  private int findPauses(Presence presence, HlcRange range) {
    Optional<Stay> before = presence.latest(range.from());
    boolean promises = presence.latest(range.to()).map(Stay::assuredMicros).orElse(0L) > 0;
    NavigableMap<Long, Long> own = new TreeMap<>();
    Iterator<Stay> stays =
        promises
            ? presence.from(before.map(Stay::from).orElse(range.from()))
            : Collections.emptyIterator();
    Stay last = null;
    while (stays.hasNext() && own.size() < MAX_PAUSES) {
      Stay next = stays.next();
      if (next.from() > range.to()) {
        break;
      }
      if (last != null && micros(last.to(), next.from()) > promisedLimit(last)) {
        own.put(last.to(), next.from());
      }
      last = next;
    }
    if (!own.isEmpty()) {
      pauses.put(presence.node(), own);
    }
    return own.size();
  }

  /** Notes that a row has its cut at a stamp, which the walk's state still shows. */
  void row(long hlc) {
    if (!pauses.isEmpty()) {
      pauses.entrySet().removeIf(entry -> isInPause(entry.getKey(), entry.getValue(), hlc));
    }
  }

  private boolean isInPause(String node, NavigableMap<Long, Long> own, long hlc) {
    Map.Entry<Long, Long> pause = own.lowerEntry(hlc);
    boolean inside = pause != null && hlc < pause.getValue() && usesValuesOf.test(node);
    if (inside) {
      news.put(
          node,
          "%s silent from %s to %s"
              .formatted(node, new HlcTimestamp(pause.getKey()), stamp(pause.getValue())));
    }
    return inside;
  }

  /** Examines the nodes at a stamp that the walk has reached; a STREAM warns at once. */
  void reached(View view, long hlc) {
    if (isActive && (hlc >= dueHlc || !news.isEmpty())) {
      view.presences().forEach(presence -> examine(presence, hlc));
      dueHlc = HlcTimestamp.pack(HlcTimestamp.micros(hlc) + RECHECK_MICROS);
      if (plan.slice().live()) {
        send();
      }
    }
  }

  /** Sends the warning of a past query, whose last rows follow the end of its walk. */
  void close() {
    send();
  }

  private void examine(Presence presence, long hlc) {
    Stay last = presence.latest(hlc).orElse(null);
    if (last == null
        || HlcTimestamp.micros(last.to()) < FIRST_READING_MICROS
        || !plan.state().counts(presence.node())) {
      return;
    }
    long limit =
        last.assuredMicros() > 0
            ? promisedLimit(last)
            : unpromisedLimit(presence, last, micros(last.to(), hlc));
    if (micros(last.to(), hlc) <= limit) {
      silent.remove(presence.node());
    } else if (usesValuesOf.test(presence.node()) && silent.add(presence.node())) {
      news.put(presence.node(), "%s silent since %s".formatted(presence.node(), stamp(last.to())));
    }
  }

  private long promisedLimit(Stay last) {
    return Math.max(idleTimeoutMicros, last.assuredMicros());
  }

  /**
   * The limit of a node without promises: ten times its longest gap, at least 10 s. The search ends
   * as soon as the node is surely not silent.
   */
  private static long unpromisedLimit(Presence presence, Stay last, long silence) {
    if (silence <= UNPROMISED_MICROS) {
      return UNPROMISED_MICROS;
    }
    Iterator<Stay> stays = presence.from(HlcTimestamp.MIN_PACKED);
    Stay before = null;
    long longest = 0;
    int sightings = 0;
    while (stays.hasNext() && (before == null || before.from() < last.from())) {
      Stay next = stays.next();
      longest = before == null ? 0 : Math.max(longest, micros(before.to(), next.from()));
      sightings = Math.min(sightings, MIN_SIGHTINGS) + (next.from() == next.to() ? 1 : 2);
      if (sightings >= MIN_SIGHTINGS && GAPS * longest >= silence) {
        break;
      }
      before = next;
    }
    return sightings < MIN_SIGHTINGS
        ? UNPROMISED_MICROS
        : Math.max(UNPROMISED_MICROS, GAPS * longest);
  }

  private static long micros(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }

  private void send() {
    if (news.isEmpty() || warnings >= MAX_WARNINGS) {
      news.clear();
      return;
    }
    warnings++;
    String named = news.values().stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    int more = news.size() - MAX_NAMED;
    boolean one = news.size() == 1;
    sink.warning(
        "%s%s; %s last values still count; AT LIVE NODES leaves %s out"
            .formatted(
                named,
                more > 0 ? " and %d more".formatted(more) : "",
                one ? "its" : "their",
                one ? "it" : "them"));
    news.clear();
  }

  private static HlcTimestamp stamp(long hlc) {
    return new HlcTimestamp(hlc);
  }
}
