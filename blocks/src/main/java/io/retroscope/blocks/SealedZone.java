package io.retroscope.blocks;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventKind;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * A summary of a sealed block, which may answer a question without the block. Immutable.
 *
 * @param firstHlc the packed stamp of the first row
 * @param lastHlc the packed stamp of the last row
 * @param rowCount the number of rows
 * @param cutCount the number of distinct stamps
 * @param kinds bits of the kinds of the rows: bit {@code n} for the kind with code {@code n}
 * @param nodes the ids of the nodes that have rows
 * @param variables the ids of the variables that state changes write, ascending
 * @param ranges of variables, ascending by id; see {@link #range}
 */
public record SealedZone(
    long firstHlc,
    long lastHlc,
    int rowCount,
    int cutCount,
    int kinds,
    BitSet nodes,
    List<Integer> variables,
    List<ValueRange> ranges) {
  private static final int ALL_KINDS = (1 << EventKind.values().length) - 1;

  /**
   * The values of one variable over the cuts of a block, at which all of its values are LONGs.
   *
   * <p>A cut is the state after all events of one stamp. A state contains the values from before
   * the block.
   *
   * @param valuedCuts the number of cuts at which a node has a value; the others do not count below
   * @param min the smallest value that a node has at a cut
   * @param max the largest value that a node has at a cut
   * @param minSpread the smallest difference at one cut between the largest and the smallest value
   * @param maxSpread the largest such difference
   */
  public record ValueRange(
      int variableId, int valuedCuts, long min, long max, long minSpread, long maxSpread) {}

  /** Copies the collections. */
  public SealedZone {
    nodes = (BitSet) nodes.clone();
    variables = List.copyOf(variables);
    ranges = List.copyOf(ranges);
  }

  @Override
  public BitSet nodes() {
    return (BitSet) nodes.clone();
  }

  /** Whether there is a row of a kind. */
  public boolean holds(EventKind kind) {
    return (kinds & (1 << kind.code())) != 0;
  }

  /** Whether all rows are of a kind. */
  boolean holdsOnly(EventKind kind) {
    return kinds == 1 << kind.code();
  }

  /**
   * The range of a variable that the block writes densely. Empty if the variable is written rarely,
   * has values of other types, or if the block's log lines may set it.
   */
  public Optional<ValueRange> range(int variableId) {
    return ranges.stream().filter(range -> range.variableId() == variableId).findFirst();
  }

  void write(WireWriter out) {
    out.putLong(HlcTimestamp.toWire(firstHlc));
    out.putLong(HlcTimestamp.toWire(lastHlc));
    out.putVarint(rowCount);
    out.putVarint(cutCount);
    out.putByte(kinds);
    long[] words = nodes.toLongArray();
    out.putVarint(words.length);
    Arrays.stream(words).forEach(out::putLong);
    out.putVarint(variables.size());
    int previous = -1;
    for (int id : variables) {
      out.putVarint(id - previous - 1);
      previous = id;
    }
    out.putVarint(ranges.size());
    for (ValueRange range : ranges) {
      out.putVarint(range.variableId());
      out.putVarint(range.valuedCuts());
      out.putZigzag(range.min());
      out.putZigzag(range.max());
      out.putVarint(range.minSpread());
      out.putVarint(range.maxSpread());
    }
  }

  static SealedZone read(WireReader in, StoreNames names) throws CorruptBlockException {
    long firstHlc = HlcTimestamp.fromWire(in.getLong());
    long lastHlc = HlcTimestamp.fromWire(in.getLong());
    int rowCount = in.getBounded("number of rows", SealedBlockCodec.MAX_ROWS);
    int cutCount = in.getBounded("number of cuts", rowCount);
    int kinds = in.getBounded("kinds", ALL_KINDS);
    BitSet nodes = readNodes(in, names.nodes().size());
    List<Integer> variables = readVariables(in, names.variables().size());
    List<ValueRange> ranges = readRanges(in, names.variables().size());
    if (lastHlc < firstHlc || rowCount == 0 || cutCount == 0) {
      throw in.corrupt("a zone of " + rowCount + " rows and " + cutCount + " cuts");
    }
    return new SealedZone(firstHlc, lastHlc, rowCount, cutCount, kinds, nodes, variables, ranges);
  }

  private static BitSet readNodes(WireReader in, int limit) throws CorruptBlockException {
    long[] words = new long[in.getBounded("words of nodes", (limit + 63) / 64)];
    if (words.length > in.remaining() / Long.BYTES) {
      throw in.corrupt(words.length + " words of nodes in " + in.remaining() + " bytes");
    }
    for (int i = 0; i < words.length; i++) {
      words[i] = in.getLong();
    }
    BitSet nodes = BitSet.valueOf(words);
    if (nodes.length() > limit) {
      throw in.corrupt("node " + (nodes.length() - 1) + " of " + limit);
    }
    return nodes;
  }

  private static List<Integer> readVariables(WireReader in, int limit)
      throws CorruptBlockException {
    int count = in.getCount("variables");
    List<Integer> variables = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < count; i++) {
      int id = next + in.getBounded("id of a variable", limit - next - 1);
      variables.add(id);
      next = id + 1;
    }
    return variables;
  }

  private static List<ValueRange> readRanges(WireReader in, int limit)
      throws CorruptBlockException {
    int count = in.getCount("ranges");
    List<ValueRange> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ranges.add(
          new ValueRange(
              in.getBounded("id of a variable", limit - 1),
              in.getBounded("number of cuts", SealedBlockCodec.MAX_ROWS),
              in.getZigzag(),
              in.getZigzag(),
              in.getVarint(),
              in.getVarint()));
    }
    return ranges;
  }
}
