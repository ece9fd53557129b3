package io.retroscope.blocks;

import io.retroscope.event.EventBlock;
import io.retroscope.event.ValueType;
import java.util.List;

/**
 * A sum over rows that depends on all of their contents, but neither on their order nor on the
 * blocks that they are in. It shows that sealing neither lost nor changed an event before the
 * blocks that arrived are deleted.
 */
public final class RowDigest {
  private RowDigest() {}

  /** The digest of all rows of blocks. */
  public static long of(List<EventBlock> blocks) {
    long sum = 0;
    for (EventBlock block : blocks) {
      for (int row = 0; row < block.size(); row++) {
        sum += of(block, row);
      }
    }
    return sum;
  }

  private static long of(EventBlock block, int row) {
    int node = block.nodeIndex(row);
    long hash = mix(block.hlc(row), block.physicalMicros(row));
    hash = mix(hash, block.sequence(row));
    hash = mix(hash, block.kind(row).code());
    hash = mix(hash, block.markBits(row));
    hash = mix(hash, block.nodes().get(node).hashCode());
    hash = mix(hash, block.incarnation(node).hashCode());
    hash = mix(hash, block.logs().get(block.logIndex(row)).hashCode());
    for (int change = block.firstChange(row); change < block.endChange(row); change++) {
      int name = block.nameIndex(change);
      ValueType type = block.type(change);
      hash = mix(hash, block.operation(change).code());
      hash = mix(hash, name == EventBlock.NO_NAME ? name : block.variables().get(name).hashCode());
      hash = mix(hash, type.code());
      hash =
          mix(
              hash,
              switch (type) {
                case STRING -> block.text(change).hashCode();
                case NESTED -> block.value(change).hashCode();
                case NULL, BOOLEAN, LONG, DOUBLE -> block.bits(change);
              });
    }
    return hash;
  }

  /** A step of a hash with the finalizer of SplittableRandom. */
  private static long mix(long hash, long next) {
    long mixed = hash * 31 + next;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
