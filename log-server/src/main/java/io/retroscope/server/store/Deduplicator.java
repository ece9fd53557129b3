// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.recordings.file.StampClash;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Submission.NumberedEvent;
import io.retroscope.server.store.run.StoreConflictException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Separates the new events of a batch from known ones. An event is identified by node, incarnation
 * and stamp: an equal event with the same identity is a duplicate, a different one is a
 * contradiction. An event without an incarnation matches any run of its node that has its stamp.
 */
/*
 * There is no index of single events. The zone maps show which blocks may hold one of the batch's
 * stamps. A batch of new events touches no block; a batch that is sent again touches the few blocks
 * that were made from it.
 */
final class Deduplicator {
  private final KnownBlocks known;
  private final Map<String, NavigableMap<Long, List<NumberedEvent>>> lines = new HashMap<>();
  private final Set<NumberedEvent> duplicates = Collections.newSetFromMap(new IdentityHashMap<>());
  private final IdentityHashMap<NumberedEvent, String> contradictions = new IdentityHashMap<>();

  Deduplicator(KnownBlocks known) {
    this.known = known;
  }

  /**
   * The events of a batch, sorted by whether they are known.
   *
   * @param fresh events that are not known yet, in no particular order
   * @param contradicting events whose identity belongs to a different event
   */
  record Outcome(List<Event> fresh, long duplicateCount, List<Event> contradicting) {}

  /**
   * The unknown events of a block that a node sent, attributed to its run and in order of their
   * stamps. They are compared only with blocks that may hold one of them, of which there are rarely
   * any.
   *
   * @throws StoreConflictException if one contradicts another one or a known event
   */
  static List<Event> freshEvents(EventBlock block, KnownBlocks known) {
    List<Event> events = new RunEvents(block);
    HlcRange range = new HlcRange(block.firstHlc(), block.lastHlc());
    if (!known.reach(block.node(), range) && isAscending(block)) {
      return events;
    }
    List<NumberedEvent> lines =
        events.stream().map(event -> new NumberedEvent(NumberedEvent.NO_NUMBER, event)).toList();
    List<Event> fresh = new ArrayList<>(new Deduplicator(known).sortStrictly(lines).fresh());
    fresh.sort(Comparator.comparingLong(Event::hlc));
    return fresh;
  }

  /**
   * Checks that the events of a block that a node sent are stored.
   *
   * @param begin packed; events up to it may have been removed by retention
   * @throws StoreConflictException if one is not, or contradicts a stored event
   */
  static void requireStored(EventBlock block, KnownBlocks known, long begin) {
    List<Event> others =
        freshEvents(block, known).stream().filter(event -> event.hlc() > begin).toList();
    if (!others.isEmpty()) {
      throw new StoreConflictException(
          "block %d of node \"%s\", incarnation \"%s\", is already stored, but not with the event at %s: its content differs, or the event was purged or damaged"
              .formatted(
                  block.number(),
                  block.node(),
                  block.incarnation(),
                  HlcTimestamp.text(others.get(0).hlc())));
    }
  }

  private static boolean isAscending(EventBlock block) {
    return block.size() < 2 || block.nextTie(1, block.size()) == block.size();
  }

  /** The events of a block that a node sent, created on access. */
  private static final class RunEvents extends AbstractList<Event> {
    private final EventBlock block;

    RunEvents(EventBlock block) {
      this.block = block;
    }

    @Override
    public Event get(int row) {
      return block.event(row).of(block.incarnation());
    }

    @Override
    public int size() {
      return block.size();
    }
  }

  /**
   * Equivalent to {@link #sort}, but rejects contradictions.
   *
   * @throws StoreConflictException if a line contradicts another one or a known event
   */
  Outcome sortStrictly(Collection<NumberedEvent> batch) {
    Outcome outcome = sort(batch);
    contradictions.forEach(
        (line, where) -> {
          throw conflict(line, where);
        });
    return outcome;
  }

  /** Sorts a batch; must be called only once. */
  Outcome sort(Collection<NumberedEvent> batch) {
    List<Event> fresh = new ArrayList<>(batch.size());
    byNode(batch)
        .forEach(
            (node, own) -> {
              if (isUnknown(node, own)) {
                own.forEach(line -> fresh.add(line.event()));
              } else {
                own.forEach(this::addLine);
              }
            });
    lines.forEach(
        (node, own) ->
            known.forEach(
                node,
                new HlcRange(own.firstKey(), own.lastKey()),
                block -> compare(node, own, block)));
    contradictions.keySet().removeAll(duplicates);
    lines.values().stream()
        .flatMap(own -> own.values().stream())
        .flatMap(List::stream)
        .filter(line -> !duplicates.contains(line) && !contradictions.containsKey(line))
        .forEach(line -> fresh.add(line.event()));
    return new Outcome(
        fresh,
        duplicates.size(),
        contradictions.keySet().stream().map(NumberedEvent::event).toList());
  }

  private static Map<String, List<NumberedEvent>> byNode(Collection<NumberedEvent> batch) {
    Map<String, List<NumberedEvent>> byNode = new HashMap<>();
    for (NumberedEvent line : batch) {
      byNode.computeIfAbsent(line.event().node(), node -> new ArrayList<>()).add(line);
    }
    return byNode;
  }

  /** Whether a node's lines have different stamps, none of which any block may hold. */
  private boolean isUnknown(String node, List<NumberedEvent> own) {
    long[] stamps = own.stream().mapToLong(line -> line.event().hlc()).sorted().toArray();
    for (int i = 1; i < stamps.length; i++) {
      if (stamps[i] == stamps[i - 1]) {
        return false;
      }
    }
    return !known.reach(node, new HlcRange(stamps[0], stamps[stamps.length - 1]));
  }

  private void addLine(NumberedEvent line) {
    NavigableMap<Long, List<NumberedEvent>> own =
        lines.computeIfAbsent(line.event().node(), node -> new TreeMap<>());
    List<NumberedEvent> before = own.putIfAbsent(line.event().hlc(), List.of(line));
    if (before == null) {
      return;
    }
    for (NumberedEvent other : before) {
      compare(line, other.event(), "in line " + other.number());
    }
    if (!duplicates.contains(line)) {
      List<NumberedEvent> both = new ArrayList<>(before);
      both.add(line);
      own.put(line.event().hlc(), both);
    }
  }

  private void compare(String node, NavigableMap<Long, List<NumberedEvent>> own, EventBlock block) {
    if (block.isEmpty()) {
      return; // replaces a block that cannot be read
    }
    own.subMap(block.firstHlc(), true, block.lastHlc(), true)
        .forEach(
            (hlc, suspects) -> {
              for (int row = block.firstAt(hlc);
                  row < block.size() && block.hlc(row) == hlc;
                  row++) {
                int index = block.nodeIndex(row);
                if (block.nodes().get(index).equals(node)) {
                  Event there = block.event(row).of(block.incarnation(index));
                  suspects.forEach(line -> compare(line, there, "stored"));
                }
              }
            });
  }

  private void compare(NumberedEvent line, Event there, String where) {
    if (StampClash.isRepeated(there, line.event())) {
      duplicates.add(line);
    } else if (StampClash.contradict(there, line.event())) {
      contradictions.putIfAbsent(line, where);
    }
  }

  private static StoreConflictException conflict(NumberedEvent line, String where) {
    return new StoreConflictException(
        (line.number() == NumberedEvent.NO_NUMBER
                ? ""
                : "line " + line.number() + ", field \"hlc\": ")
            + "node \""
            + line.event().node()
            + "\" has another event at "
            + HlcTimestamp.text(line.event().hlc())
            + " "
            + where
            + "; the stamps of a node's run are distinct: give each event its own, or name the"
            + " \"incarnation\" of each if the node was restarted");
  }
}
