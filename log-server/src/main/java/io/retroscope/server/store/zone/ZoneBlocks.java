// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.state.StateBlocks;
import io.retroscope.server.store.zone.BlockZone.LogZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The blocks of a store by their zones. Used by one thread.
 *
 * @param writers the writers in a sealed block, which takes less time than to read the block; empty
 *     if they are not known
 */
public record ZoneBlocks(
    Function<BlockZone, EventBlock> reader, Function<BlockZone, Optional<Writers>> writers)
    implements StateBlocks<BlockZone> {
  @Override
  public long firstHlc(BlockZone zone) {
    return zone.firstHlc();
  }

  @Override
  public long lastHlc(BlockZone zone) {
    return zone.lastHlc();
  }

  @Override
  public long number(BlockZone zone) {
    return zone.id();
  }

  @Override
  public boolean mayHoldLives(BlockZone zone, long before, Predicate<String> node) {
    if (zone.nodes() instanceof SealedParts parts) {
      return parts.shape().lifecycle() && parts.hasNode(node);
    }
    return zone.nodes().stream()
        .anyMatch(part -> part.firstHlc() < before && part.lifecycle() && node.test(part.node()));
  }

  @Override
  public boolean mayHoldWrites(BlockZone zone, long before, Writes test) {
    if (zone.nodes() instanceof SealedParts parts) {
      SealedParts.Shape shape = parts.shape();
      return test.matter(shape.log(), shape.written(), zone.lastHlc(), parts::hasNode)
          && writers.apply(zone).map(known -> known.matter(shape.log(), test)).orElse(true);
    }
    return zone.nodes().stream()
        .anyMatch(part -> part.firstHlc() < before && mayHoldWrites(part, test));
  }

  private static boolean mayHoldWrites(NodeZone part, Writes test) {
    for (LogZone log : part.logs()) {
      if (test.matter(log.log(), log.written(), part.lastHlc(), node -> node.test(part.node()))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public EventBlock read(BlockZone zone) {
    return reader.apply(zone);
  }

  @Override
  public BlockSource source(BlockZone zone) {
    return new ZoneSource(zone, any -> true, reader);
  }
}
