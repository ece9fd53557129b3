package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.BlockZone.NodeZone;
import io.retroscope.server.store.Submission.Line;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Finds out which lines of a batch are new. A node's stamps are distinct, so node and stamp are an
 * event's identity: the same again is a duplicate, another content there is a contradiction.
 */
/*
 * There is no index of single events. The zone maps say which stored blocks may hold one of the
 * batch's stamps; a batch of new events touches none of them, a batch that is sent again touches
 * the few blocks that were made of it.
 */
final class Deduplicator {
  private final BlockIndex.Snapshot index;
  private final Function<BlockZone, EventBlock> reader;
  private final Map<String, NavigableMap<Long, Line>> fresh = new HashMap<>();
  private long duplicateCount;
  private long lowest = HlcTimestamp.MAX_PACKED;
  private long highest = HlcTimestamp.MIN_PACKED;

  Deduplicator(BlockIndex.Snapshot index, Function<BlockZone, EventBlock> reader) {
    this.index = index;
    this.reader = reader;
  }

  /**
   * The events that are not stored yet, in no order.
   *
   * @throws StoreConflictException if a line contradicts another one or a stored event
   */
  List<Event> newEvents(Collection<Line> lines) {
    lines.forEach(this::addLine);
    if (!fresh.isEmpty()) {
      for (BlockZone zone :
          index.overlapping(
              new HlcRange(lowest, highest), candidate -> candidate.holdsNode(fresh.keySet()))) {
        compareWith(zone);
      }
    }
    List<Event> events = new ArrayList<>(lines.size());
    fresh.values().forEach(own -> own.values().forEach(line -> events.add(line.event())));
    return events;
  }

  /** How many lines were there already. */
  long duplicateCount() {
    return duplicateCount;
  }

  private void addLine(Line line) {
    Event event = line.event();
    Line before =
        fresh.computeIfAbsent(event.node(), node -> new TreeMap<>()).putIfAbsent(event.hlc(), line);
    if (before != null) {
      if (!isSame(before.event(), event)) {
        throw conflict(line, "in line " + before.number());
      }
      duplicateCount++;
    }
    lowest = Math.min(lowest, event.hlc());
    highest = Math.max(highest, event.hlc());
  }

  private void compareWith(BlockZone zone) {
    for (NodeZone part : zone.nodes()) {
      NavigableMap<Long, Line> own = fresh.get(part.node());
      if (own != null) {
        NavigableMap<Long, Line> suspects = own.subMap(part.firstHlc(), true, part.lastHlc(), true);
        if (!suspects.isEmpty()) {
          removeStored(suspects, reader.apply(zone));
        }
      }
    }
  }

  private void removeStored(NavigableMap<Long, Line> suspects, EventBlock block) {
    List<Long> stored = new ArrayList<>();
    suspects.forEach(
        (hlc, line) -> {
          for (int row = EventRows.firstAt(block, hlc);
              row < block.size() && block.hlc(row) == hlc;
              row++) {
            if (block.nodes().get(block.nodeIndex(row)).equals(line.event().node())) {
              if (!isSame(block.event(row), line.event())) {
                throw conflict(line, "stored");
              }
              stored.add(hlc);
            }
          }
        });
    stored.forEach(suspects::remove);
    duplicateCount += stored.size();
  }

  /** An event that came out of a part of a recording has lost its number. */
  private static boolean isSame(Event a, Event b) {
    boolean unnumbered = a.sequence() == Event.NO_SEQUENCE || b.sequence() == Event.NO_SEQUENCE;
    return unnumbered ? a.withoutSequence().equals(b.withoutSequence()) : a.equals(b);
  }

  private static StoreConflictException conflict(Line line, String where) {
    return new StoreConflictException(
        "line "
            + line.number()
            + ", field \"hlc\": node \""
            + line.event().node()
            + "\" has another event at "
            + HlcTimestamp.text(line.event().hlc())
            + " "
            + where
            + "; a node's stamps are distinct");
  }
}
