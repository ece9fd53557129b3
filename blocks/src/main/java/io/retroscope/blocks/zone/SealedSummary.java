// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.zone;

import io.retroscope.blocks.StoreNames;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventKind;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

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
 */
public record SealedSummary(
    long firstHlc,
    long lastHlc,
    int rowCount,
    int cutCount,
    int kinds,
    BitSet nodes,
    List<Integer> variables) {
  /** The largest number of rows of a block. */
  public static final int MAX_ROWS = 1 << 16;

  /** Where a later version may say more about the variables. */
  private static final int RESERVED = 0;

  private static final int ALL_KINDS = (1 << EventKind.values().length) - 1;

  /** Copies the collections. */
  public SealedSummary {
    nodes = (BitSet) nodes.clone();
    variables = List.copyOf(variables);
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
  public boolean holdsOnly(EventKind kind) {
    return kinds == 1 << kind.code();
  }

  /** Whether there are log lines, and besides them at most state changes. */
  public boolean holdsLines() {
    int lines = 1 << EventKind.LOG_LINE.code();
    return (kinds | 1 << EventKind.STATE_CHANGE.code())
        == (lines | 1 << EventKind.STATE_CHANGE.code());
  }

  public void write(WireWriter out) {
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
    out.putVarint(RESERVED);
  }

  public static SealedSummary read(WireReader in, StoreNames names) throws CorruptBlockException {
    long firstHlc = HlcTimestamp.fromWire(in.getLong());
    long lastHlc = HlcTimestamp.fromWire(in.getLong());
    int rowCount = in.getBounded("number of rows", MAX_ROWS);
    int cutCount = in.getBounded("number of cuts", rowCount);
    int kinds = in.getBounded("kinds", ALL_KINDS);
    BitSet nodes = readNodes(in, names.nodes().size());
    List<Integer> variables = readVariables(in, names.variables().size());
    int unused = in.getBounded("reserved number", RESERVED);
    if (lastHlc < firstHlc || rowCount == 0 || cutCount == 0) {
      throw in.corrupt("a zone of " + rowCount + " rows and " + cutCount + " cuts");
    }
    return new SealedSummary(firstHlc, lastHlc, rowCount, cutCount, kinds, nodes, variables);
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
}
