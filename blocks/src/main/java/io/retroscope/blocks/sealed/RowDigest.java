// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.util.Arrays;
import java.util.List;

/**
 * A sum over rows that depends on all of their contents, but neither on their order nor on the
 * blocks that they are in. It shows that sealing neither lost nor changed an event before the
 * blocks that arrived are deleted.
 */
public final class RowDigest {
  /*
   * What a row has in columns of its own is multiplied by a factor for each column and mixed, and so
   * is each change then, so that numbers cannot change places between columns, changes or rows.
   * Names are hashed once a block. The factors are odd and otherwise arbitrary.
   */
  private static final long HLC = 0x9E3779B97F4A7C15L;
  private static final long PHYSICAL = 0xC2B2AE3D27D4EB4FL;
  private static final long SEQUENCE = 0x165667B19E3779F9L;
  private static final long KIND = 0xD6E8FEB86659FD93L;
  private static final long CHANGE = 0xA0761D6478BD642FL;
  private static final long BITS = 0xE7037ED1A0B428DBL;
  private static final int MARKS_SHIFT = 8;
  private static final int TYPE_SHIFT = 8;

  private final EventBlock block;

  /* The hashes of names by their indexes; that of a run is of its node and its incarnation. */
  private final long[] runs;
  private final long[] logs;
  private final long[] names;

  private RowDigest(EventBlock block) {
    this.block = block;
    runs = hashes(block.nodes(), 1);
    for (int i = 0; i < runs.length; i++) {
      runs[i] = mix(runs[i] + block.incarnation(i).hashCode());
    }
    logs = hashes(block.logs(), 2);
    names = hashes(block.variables(), 3);
  }

  private static long[] hashes(List<String> names, long purpose) {
    long[] hashes = new long[names.size()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = mix(mix(purpose) + names.get(i).hashCode());
    }
    return hashes;
  }

  /** The digest of all rows of blocks. */
  public static long of(List<EventBlock> blocks) {
    long sum = 0;
    for (EventBlock block : blocks) {
      RowDigest digest = new RowDigest(block);
      boolean isOfLongs = block.writesLongsOnly() && block.logs().size() == 1;
      sum += isOfLongs ? digest.ofLongs() : digest.ofRows();
    }
    return sum;
  }

  /** The digest of rows of any kinds. */
  static long ofRows(EventBlock block) {
    return new RowDigest(block).ofRows();
  }

  /** As {@link #ofRows}, if each row sets a LONG of the one log. */
  private long ofLongs() {
    long[] physical = new long[block.size()];
    long[] sequences = new long[block.size()];
    block.copyReadings(physical, sequences);
    long ofRow = KIND * EventKind.STATE_CHANGE.code() + logs[0];
    long ofChange = CHANGE * changeBits(Operation.SET, ValueType.LONG);
    return sum(block, physical, sequences, plus(runs, ofRow), plus(names, ofChange));
  }

  private static long[] plus(long[] hashes, long fixed) {
    long[] sums = new long[hashes.length];
    Arrays.setAll(sums, i -> hashes[i] + fixed);
    return sums;
  }

  private static long sum(
      EventBlock block, long[] physical, long[] sequences, long[] runs, long[] names) {
    long sum = 0;
    for (int row = 0; row < physical.length; row++) {
      long hash = HLC * block.hlc(row) + PHYSICAL * physical[row] + SEQUENCE * sequences[row];
      long ofRow = mix(hash + runs[block.nodeIndex(row)]);
      sum += mix(ofRow + names[block.nameIndex(row)] + BITS * block.bits(row));
    }
    return sum;
  }

  private long ofRows() {
    long sum = 0;
    for (int row = 0; row < block.size(); row++) {
      sum += ofRow(row);
    }
    return sum;
  }

  private long columns(int row) {
    return HLC * block.hlc(row)
        + PHYSICAL * block.physicalMicros(row)
        + SEQUENCE * block.sequence(row);
  }

  private long ofRow(int row) {
    long kind = KIND * (block.kind(row).code() | (long) block.markBits(row) << MARKS_SHIFT);
    long hash = mix(columns(row) + kind + runs[block.nodeIndex(row)] + logs[block.logIndex(row)]);
    for (int change = block.firstChange(row); change < block.endChange(row); change++) {
      int name = block.nameIndex(change);
      ValueType type = block.type(change);
      long bits =
          switch (type) {
            case STRING -> block.text(change).hashCode();
            case NESTED -> block.value(change).hashCode();
            case NULL, BOOLEAN, LONG, DOUBLE -> block.bits(change);
          };
      hash =
          mix(
              hash
                  + CHANGE * changeBits(block.operation(change), type)
                  + (name == EventBlock.NO_NAME ? name : names[name])
                  + BITS * bits);
    }
    return hash;
  }

  private static long changeBits(Operation operation, ValueType type) {
    return 1 + (operation.code() | (long) type.code() << TYPE_SHIFT);
  }

  /** The finalizer of SplittableRandom. */
  private static long mix(long hash) {
    long mixed = (hash ^ hash >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
