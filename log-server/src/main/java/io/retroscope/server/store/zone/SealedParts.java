// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.server.store.zone.BlockZone.LogZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the nodes in a sealed block, of which only the numbers of events differ. Each part
 * has the range and the names of the whole block, so that it may promise more than it holds, but
 * never less. Immutable.
 */
public final class SealedParts extends AbstractList<NodeZone> {
  /*
   * A block has a part for each of its nodes, of which there may be a thousand. So memory holds two
   * numbers per node, in one array for the block, and a part exists only while it is looked at.
   */
  private final Shape shape;
  private final long firstHlc;
  private final long lastHlc;
  private final NameTable nodes;
  private final int size;

  /** For each node the difference of its id from that of the one before, and its events. */
  private final byte[] counts;

  /**
   * The contents of a sealed block that all of its nodes are said to have.
   *
   * @param log empty for starts and stops, which have no log
   */
  public record Shape(
      String log, List<String> variables, List<String> written, boolean lifecycle, boolean marked) {
    public Shape {
      variables = List.copyOf(variables);
      written = List.copyOf(written);
    }

    /** Whether all events are unmarked writes of a log's variables. */
    public boolean setsStateOnly() {
      return !lifecycle && !marked && !log.isEmpty() && variables.equals(written);
    }
  }

  private SealedParts(
      Shape shape, long firstHlc, long lastHlc, NameTable nodes, int size, byte[] counts) {
    this.shape = shape;
    this.firstHlc = firstHlc;
    this.lastHlc = lastHlc;
    this.nodes = nodes;
    this.size = size;
    this.counts = counts;
  }

  /** The memory of the numbers of the nodes. */
  int countBytes() {
    return counts.length;
  }

  /** The zone of a sealed block with the given rows, of which there is at least one. */
  public static BlockZone zoneOf(
      long id, EventBlock rows, @Nullable LongCounts counts, NameTable nodes) {
    BlockZone exact = BlockZone.of(id, rows, counts);
    Map<Integer, Long> events = new TreeMap<>();
    TreeSet<String> variables = new TreeSet<>();
    TreeSet<String> written = new TreeSet<>();
    boolean lifecycle = false;
    boolean marked = false;
    for (NodeZone part : exact.nodes()) {
      events.merge(nodes.idOf(part.node()), part.eventCount(), Long::sum);
      lifecycle |= part.lifecycle();
      marked |= part.marked();
      for (LogZone log : part.logs()) {
        variables.addAll(log.variables());
        written.addAll(log.written());
      }
    }
    Shape shape =
        new Shape(
            rows.logs().get(0), List.copyOf(variables), List.copyOf(written), lifecycle, marked);
    WireWriter out = new WireWriter();
    int next = 0;
    for (Map.Entry<Integer, Long> entry : events.entrySet()) {
      out.putVarint(entry.getKey() - next);
      out.putVarint(entry.getValue());
      next = entry.getKey() + 1;
    }
    return zone(id, shape, exact.firstHlc(), exact.lastHlc(), nodes, events.size(), out);
  }

  private static BlockZone zone(
      long id,
      Shape shape,
      long firstHlc,
      long lastHlc,
      NameTable nodes,
      int size,
      WireWriter counts) {
    SealedParts parts =
        new SealedParts(shape, firstHlc, lastHlc, nodes, size, counts.toByteArray());
    return new BlockZone(id, firstHlc, lastHlc, parts);
  }

  public Shape shape() {
    return shape;
  }

  /** The same parts with an equal shape, which other blocks share. */
  SealedParts sharing(Shape shared) {
    return new SealedParts(shared, firstHlc, lastHlc, nodes, size, counts);
  }

  void writeCounts(WireWriter out) {
    out.putVarint(size);
    out.putVarint(counts.length);
    out.putBytes(counts);
  }

  /** Reads what {@link #writeCounts} wrote; every id must have a name. */
  static BlockZone read(
      long id, long firstHlc, long lastHlc, Shape shape, WireReader in, NameTable nodes)
      throws CorruptBlockException {
    int size = in.getCount("nodes");
    int length = in.getCount("bytes of nodes");
    int end = in.position() + length;
    WireWriter counts = new WireWriter();
    int next = 0;
    for (int i = 0; i < size; i++) {
      int gap = in.getBounded("id of a node", nodes.size() - 1 - next);
      counts.putVarint(gap);
      counts.putVarint(in.getVarint());
      next += gap + 1;
    }
    if (in.position() != end) {
      throw in.corrupt(length + " bytes of " + size + " nodes");
    }
    return zone(id, shape, firstHlc, lastHlc, nodes, size, counts);
  }

  /** Moves past what {@link #writeCounts} wrote. */
  static void skip(WireReader in) throws CorruptBlockException {
    int size = in.getCount("nodes");
    int end = in.getCount("bytes of nodes") + in.position();
    for (int left = 2 * size; left > 0; left--) {
      long unused = in.getVarint();
    }
    if (in.position() != end) {
      throw in.corrupt("bytes of " + size + " nodes");
    }
  }

  /** Whether a node of the block passes a test. */
  boolean hasNode(Predicate<String> test) {
    Counts part = new Counts();
    while (part.next()) {
      if (test.test(part.node())) {
        return true;
      }
    }
    return false;
  }

  /** Whether the block has events of a log; all of its nodes have the same one. */
  boolean holdsLog(String log) {
    return size > 0 && !log.isEmpty() && shape.log().equals(log);
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public NodeZone get(int index) {
    Iterator<NodeZone> parts = iterator();
    for (int i = 0; i < index; i++) {
      parts.next();
    }
    return parts.next();
  }

  @Override
  public Iterator<NodeZone> iterator() {
    Counts part = new Counts();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return part.in.remaining() > 0;
      }

      @Override
      public NodeZone next() {
        if (!part.next()) {
          throw new NoSuchElementException("no more nodes in the block");
        }
        return part(part.node(), part.events);
      }
    };
  }

  /** The nodes and their numbers of events, one after the other. */
  private final class Counts {
    private final WireReader in = new WireReader(counts, 0, counts.length, 0);
    private int id = -1;
    private long events;

    /** Moves to the next node; returns false if there is none. */
    boolean next() {
      if (in.remaining() == 0) {
        return false;
      }
      try {
        id += 1 + (int) in.getVarint();
        events = in.getVarint();
        return true;
      } catch (CorruptBlockException e) {
        throw new AssertionError("checked when they were read", e);
      }
    }

    String node() {
      return nodes.name(id);
    }
  }

  private NodeZone part(String node, long events) {
    List<LogZone> logs =
        shape.log().isEmpty()
            ? List.of()
            : List.of(new LogZone(shape.log(), events, shape.variables(), shape.written()));
    return new NodeZone(node, events, firstHlc, lastHlc, shape.lifecycle(), shape.marked(), logs);
  }
}
