package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NaturalOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * The events of several blocks in order of stamp and node: a merge that reads a block only when its
 * first stamp is due. Used by one thread.
 */
final class BlockMerge implements Iterator<Event> {
  private final List<BlockZone> zones;
  private final Predicate<BlockZone> matters;
  private final RowTest wanted;
  private final HlcRange range;
  private final Function<BlockZone, EventBlock> reader;
  private final PriorityQueue<Cursor> cursors;
  private final BiFunction<Event, String, Event> attribution;
  private int nextZone;

  /**
   * A merge.
   *
   * @param zones all overlap the range, ordered by their first stamp
   * @param matters decides, when a zone's first stamp is due, whether its block is read
   * @param reader reads the block of a zone
   * @param runs orders the events that two runs of a node have with the same stamp
   * @param attribution maps an event and the run that its block names to the event that is returned
   */
  BlockMerge(
      List<BlockZone> zones,
      Predicate<BlockZone> matters,
      RowTest wanted,
      HlcRange range,
      Function<BlockZone, EventBlock> reader,
      Comparator<Incarnation.Name> runs,
      BiFunction<Event, String, Event> attribution) {
    this.zones = zones;
    this.matters = matters;
    this.wanted = wanted;
    this.range = range;
    this.reader = reader;
    this.attribution = attribution;
    this.cursors =
        new PriorityQueue<>(
            Comparator.<Cursor>comparingLong(cursor -> cursor.hlc)
                .thenComparing(cursor -> cursor.node, NaturalOrder.INSTANCE)
                .thenComparing(Cursor::run, runs));
    openDueBlocks();
  }

  @Override
  public boolean hasNext() {
    return !cursors.isEmpty();
  }

  @Override
  public Event next() {
    Cursor first = cursors.poll();
    if (first == null) {
      throw new NoSuchElementException("no more events in the range");
    }
    Event event = attribution.apply(first.block.event(first.row), first.block.incarnation());
    if (first.advance()) {
      cursors.add(first);
    }
    openDueBlocks();
    return event;
  }

  /** A test for the rows that the merge returns. */
  interface RowTest {
    /** A test for the rows of one block. */
    IntPredicate in(EventBlock block);

    /** A test for starts, stops and the events in the given logs. */
    static RowTest ofLogs(Set<String> logs) {
      return block -> {
        boolean[] wanted = new boolean[block.logs().size()];
        for (int i = 0; i < wanted.length; i++) {
          wanted[i] = logs.contains(block.logs().get(i));
        }
        return row ->
            switch (block.kind(row)) {
              case START, STOP -> true;
              case HEARTBEAT -> false;
              default -> wanted[block.logIndex(row)];
            };
      };
    }
  }

  /** Opens blocks until no unopened block can hold the next event. */
  private void openDueBlocks() {
    while (nextZone < zones.size()) {
      Cursor first = cursors.peek();
      if (first != null && first.hlc < zones.get(nextZone).firstHlc()) {
        return;
      }
      BlockZone zone = zones.get(nextZone++);
      Cursor cursor = matters.test(zone) ? new Cursor(reader.apply(zone)) : null;
      if (cursor != null && cursor.advance()) {
        cursors.add(cursor);
      }
    }
  }

  /** A position in one block. */
  private final class Cursor {
    private final EventBlock block;
    private final IntPredicate isWanted;
    private final Comparator<Integer> byNode;

    /**
     * The rows that share one stamp if there are several, because their nodes may be in any order.
     */
    private final ArrayDeque<Integer> concurrent = new ArrayDeque<>();

    private int nextRow;
    private int row;
    private long hlc;
    private String node = "";

    Cursor(EventBlock block) {
      this.block = block;
      byNode = Comparator.comparing(this::node, NaturalOrder.INSTANCE);
      isWanted = wanted.in(block);
      nextRow = EventRows.firstAt(block, range.from());
    }

    boolean advance() {
      while (concurrent.isEmpty()) {
        if (nextRow == block.size() || block.hlc(nextRow) > range.to()) {
          return false;
        }
        gatherStamp();
      }
      row = concurrent.remove();
      hlc = block.hlc(row);
      node = node(row);
      return true;
    }

    private void gatherStamp() {
      long stamp = block.hlc(nextRow);
      List<Integer> rows = new ArrayList<>(1);
      for (; nextRow < block.size() && block.hlc(nextRow) == stamp; nextRow++) {
        if (isWanted.test(nextRow)) {
          rows.add(nextRow);
        }
      }
      rows.sort(byNode);
      concurrent.addAll(rows);
    }

    Incarnation.Name run() {
      return new Incarnation.Name(node, block.incarnation());
    }

    private String node(int row) {
      return block.nodes().get(block.nodeIndex(row));
    }
  }
}
