// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.BlocksMovedException;
import io.retroscope.blocks.merge.EncodedBatch;
import io.retroscope.blocks.merge.EncodedBlocks;
import io.retroscope.blocks.merge.JoinedBlocks;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.EventBlock;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stored blocks whose store may end or fail before they are read. Used by one thread. */
final class GuardedBlocks {
  private GuardedBlocks() {}

  /** A condition of reading. */
  interface Guard {
    /**
     * Reads from the store, or throws an exception instead.
     *
     * @param firstHlc packed; no row that is read is below it
     */
    <T extends @Nullable Object> T read(long firstHlc, Supplier<T> access);
  }

  /** The same blocks, each of which is read through a guard. */
  static BlockSet of(BlockSet blocks, Guard guard) {
    List<BlockSource> sources =
        blocks.sources().stream().<BlockSource>map(each -> new Source(each, guard)).toList();
    return new BlockSet(sources, blocks.join().map(join -> of(join, guard)));
  }

  private static JoinedBlocks.Rule of(JoinedBlocks.Rule join, Guard guard) {
    EncodedBlocks blocks = new Encoded(join.blocks(), guard);
    return new JoinedBlocks.Rule(blocks, join.log(), join.wanted(), join.ties());
  }

  private record Source(BlockSource block, Guard guard) implements BlockSource {
    @Override
    public long firstHlc() {
      return block.firstHlc();
    }

    @Override
    public long lastHlc() {
      return block.lastHlc();
    }

    @Override
    public @Nullable EventBlock read() {
      return guard.<@Nullable EventBlock>read(firstHlc(), block::read);
    }

    @Override
    public void release(EventBlock released) {
      block.release(released);
    }

    /** Unknown if the blocks have moved: only a merge that reads them continues elsewhere. */
    @Override
    public @Nullable LongZone longZone() {
      try {
        return guard.<@Nullable LongZone>read(firstHlc(), block::longZone);
      } catch (BlocksMovedException e) {
        return null;
      }
    }

    @Override
    public boolean isSealed() {
      return block.isSealed();
    }

    @Override
    public long arrival(int place) {
      return block.arrival(place);
    }

    @Override
    public List<BlockSource> following() {
      return block.following();
    }
  }

  private record Encoded(EncodedBlocks blocks, Guard guard) implements EncodedBlocks {
    @Override
    public int count() {
      return blocks.count();
    }

    @Override
    public long firstHlc(int index) {
      return blocks.firstHlc(index);
    }

    @Override
    public long lastHlc(int index) {
      return blocks.lastHlc(index);
    }

    @Override
    public int rowCount(int index) {
      return blocks.rowCount(index);
    }

    @Override
    public boolean matters(int index) {
      return blocks.matters(index);
    }

    @Override
    public long arrival(int index) {
      return blocks.arrival(index);
    }

    @Override
    public BlockSource source(int index) {
      return new Source(blocks.source(index), guard);
    }

    @Override
    public void read(int[] indexes, EncodedBatch to) {
      long first = Arrays.stream(indexes).mapToLong(blocks::firstHlc).min().orElse(Long.MAX_VALUE);
      Boolean unused =
          guard.read(
              first,
              () -> {
                blocks.read(indexes, to);
                return true;
              });
    }
  }
}
