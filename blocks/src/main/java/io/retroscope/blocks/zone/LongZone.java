// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.zone;

import io.retroscope.blocks.NameTable;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What the rows of a block do to a state in which all their variables are LONGs: between which
 * bounds the values are at the cuts of the block, and the state after it. A walk whose question has
 * no answer within these bounds passes over the block without reading it. Immutable.
 *
 * <p>It depends on nothing but the rows of its block. So no event that arrives later makes it
 * wrong; an event within the block's range only makes it useless.
 */
public final class LongZone {
  /*
   *   version 2 | bytes | CRC-32C of the content | content
   *
   *   content: cuts | variables: index of the name, cuts, last cut, early range, late range, nodes
   *
   * The values at a cut are those of the block only after each of its nodes has written. Before
   * that, at the early cuts, some are from before the block. Both kinds have bounds of their own.
   */
  private static final int VERSION = 2;

  /** The stamp of the last change of a node whose writes in the block are all equal. */
  public static final long NEVER = Long.MIN_VALUE;

  private static final int MAX_BYTES = 1 << 24;

  private final String log;
  private final List<String> written;
  private final int cuts;
  private final List<Variable> variables;

  /**
   * A zone.
   *
   * @param log the log of all rows
   * @param written the names of all variables of the rows
   * @param cuts the number of distinct stamps of the block
   * @param variables those that have bounds
   */
  public LongZone(String log, List<String> written, int cuts, List<Variable> variables) {
    this.log = log;
    this.written = List.copyOf(written);
    this.cuts = cuts;
    this.variables = List.copyOf(variables);
  }

  /**
   * The writes of one variable in the block.
   *
   * @param cuts the number of stamps at which it is written
   * @param lastHlc packed, the last of these stamps
   * @param early before every node of the block has written
   * @param late from the first cut on at which every node of the block has written
   * @param nodes those that write; {@link #of} orders them by their names, stored ones may be in
   *     any order
   */
  public record Variable(
      String name, int cuts, long lastHlc, Early early, Late late, List<Node> nodes) {
    /** Copies the nodes. */
    public Variable {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * The cuts before every node of the block has written.
   *
   * @param min the smallest number that is written
   * @param max the largest number that is written; below the smallest if there is no such cut
   */
  public record Early(long min, long max) {
    static final Early NONE = new Early(Long.MAX_VALUE, Long.MIN_VALUE);

    /** Whether there is such a cut. */
    public boolean exists() {
      return min <= max;
    }
  }

  /**
   * The values of the block's nodes from then on.
   *
   * @param min the smallest value at any cut
   * @param max the largest value at any cut
   * @param highestMin the largest of the cuts' smallest values
   * @param lowestMax the smallest of the cuts' largest values
   * @param minSpread the smallest difference at a cut between the largest and the smallest value
   * @param maxSpread the largest such difference
   */
  public record Late(
      long min, long max, long highestMin, long lowestMax, long minSpread, long maxSpread) {}

  /**
   * What a node has written when the block ends.
   *
   * @param number the last one
   * @param firstHlc packed, the stamp of its first write
   * @param changeHlc packed, the stamp of its last write of another number than the one before in
   *     the block, or {@link #NEVER}
   */
  public record Node(String name, long number, long firstHlc, long changeHlc) {}

  /**
   * The zone of the rows of a sealed block. Empty if any of them does more than change state, is
   * marked, or has the same node and stamp as another one, or if a node has several runs.
   *
   * @param minWrites the number of writes per node from which on a variable has bounds, 1 or more
   */
  public static Optional<LongZone> of(EventBlock rows, int minWrites) {
    return new LongZoneBuilder(rows, minWrites).zone();
  }

  /** The log of all rows. */
  public String log() {
    return log;
  }

  /** The names of all variables of the rows, with bounds or without. */
  public List<String> written() {
    return written;
  }

  /** The number of distinct stamps of the block. */
  public int cuts() {
    return cuts;
  }

  /** The variables that have bounds. */
  public List<Variable> variables() {
    return variables;
  }

  /** The bounds of a variable; null if there are none. */
  public @Nullable Variable variable(String name) {
    for (Variable variable : variables) {
      if (variable.name().equals(name)) {
        return variable;
      }
    }
    return null;
  }

  /**
   * Appends the zone to a summary of its block.
   *
   * @param firstHlc packed, the block's first stamp
   * @param names the names of the block's variables, which the summary contains
   */
  public void write(WireWriter out, long firstHlc, List<String> names, NameTable nodes) {
    WireWriter content = new WireWriter();
    content.putVarint(cuts);
    content.putVarint(variables.size());
    for (Variable variable : variables) {
      content.putVarint(names.indexOf(variable.name()));
      content.putVarint(variable.cuts());
      content.putVarint(variable.lastHlc() - firstHlc);
      Early early = variable.early();
      content.putByte(early.exists() ? 1 : 0);
      if (early.exists()) {
        content.putZigzag(early.min());
        content.putZigzag(early.max());
      }
      writeLate(variable.late(), content);
      content.putVarint(variable.nodes().size());
      long previous = variable.late().min();
      for (Node node : variable.nodes()) {
        content.putVarint(nodes.idOf(node.name()));
        content.putZigzag(node.number() - previous);
        content.putVarint(node.firstHlc() - firstHlc);
        content.putVarint(node.changeHlc() == NEVER ? 0 : node.changeHlc() - node.firstHlc());
        previous = node.number();
      }
    }
    byte[] bytes = content.toByteArray();
    out.putByte(VERSION);
    out.putVarint(bytes.length);
    out.putVarint(checksum(bytes, 0, bytes.length));
    out.putBytes(bytes);
  }

  private static void writeLate(Late late, WireWriter out) {
    out.putZigzag(late.min());
    out.putZigzag(late.max());
    out.putZigzag(late.highestMin());
    out.putZigzag(late.lowestMax());
    out.putVarint(late.minSpread());
    out.putVarint(late.maxSpread());
  }

  /**
   * Reads what {@link #write} wrote; empty at the end of the input, where a block has no zone, and
   * if another version wrote it.
   *
   * @param bytes the array of the input
   * @param log the block's log
   * @throws CorruptBlockException if it is damaged
   */
  public static Optional<LongZone> read(
      WireReader in, byte[] bytes, long firstHlc, String log, List<String> written, NameTable nodes)
      throws CorruptBlockException {
    if (in.remaining() == 0 || in.getByte() != VERSION) {
      return Optional.empty();
    }
    int length = in.getBounded("bytes of a zone", MAX_BYTES);
    long checksum = in.getVarint();
    if (length > in.remaining() || checksum != checksum(bytes, in.position(), length)) {
      throw in.corrupt("the checksum of the zone does not match");
    }
    int end = in.position() + length;
    int cuts = in.getBounded("cuts", SealedSummary.MAX_ROWS);
    List<Variable> variables = readVariables(in, cuts, firstHlc, written, nodes);
    if (in.position() != end) {
      throw in.corrupt("a zone of another length");
    }
    return Optional.of(new LongZone(log, written, cuts, variables));
  }

  private static List<Variable> readVariables(
      WireReader in, int cuts, long firstHlc, List<String> written, NameTable nodes)
      throws CorruptBlockException {
    int count = in.getCount("variables");
    List<Variable> variables = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = written.get(in.getBounded("variable", written.size() - 1));
      int own = in.getBounded("cuts", cuts);
      long lastHlc = firstHlc + in.getVarint();
      Early early =
          in.getBounded("early cuts", 1) == 0
              ? Early.NONE
              : new Early(in.getZigzag(), in.getZigzag());
      Late late =
          new Late(
              in.getZigzag(),
              in.getZigzag(),
              in.getZigzag(),
              in.getZigzag(),
              in.getVarint(),
              in.getVarint());
      List<Node> ends = readNodes(in, late.min(), firstHlc, nodes);
      variables.add(new Variable(name, own, lastHlc, early, late, ends));
    }
    return variables;
  }

  private static List<Node> readNodes(
      WireReader in, long before, long blockFirstHlc, NameTable nodes)
      throws CorruptBlockException {
    int count = in.getCount("nodes");
    int known = nodes.size();
    List<Node> read = new ArrayList<>(count);
    long previous = before;
    for (int i = 0; i < count; i++) {
      String name = nodes.name(in.getBounded("id of a node", known - 1));
      long number = previous + in.getZigzag();
      long firstHlc = blockFirstHlc + in.getVarint();
      long change = in.getVarint();
      read.add(new Node(name, number, firstHlc, change == 0 ? NEVER : firstHlc + change));
      previous = number;
    }
    return read;
  }

  private static long checksum(byte[] bytes, int start, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, length);
    return crc.getValue();
  }
}
