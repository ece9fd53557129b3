// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.EventBlock;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A stored block for a merge. Used by one thread.
 *
 * @param matters decides, when the first stamp is due, whether the block is read
 * @param longZones reads what the block does to a state
 * @param released receives a block that is not read any more
 */
public record ZoneSource(
    BlockZone zone,
    Predicate<BlockZone> matters,
    Function<BlockZone, EventBlock> reader,
    Function<BlockZone, Optional<LongZone>> longZones,
    Consumer<EventBlock> released)
    implements BlockSource {
  public ZoneSource(
      BlockZone zone, Predicate<BlockZone> matters, Function<BlockZone, EventBlock> reader) {
    this(zone, matters, reader, unused -> Optional.empty(), unused -> {});
  }

  @Override
  public long firstHlc() {
    return zone.firstHlc();
  }

  @Override
  public long lastHlc() {
    return zone.lastHlc();
  }

  @Override
  public boolean isSealed() {
    return zone.isSealed();
  }

  /** Ids ascend in the order of arrival. */
  @Override
  public long arrival(int place) {
    return zone.id();
  }

  @Override
  public @Nullable EventBlock read() {
    return matters.test(zone) ? reader.apply(zone) : null;
  }

  @Override
  public @Nullable LongZone longZone() {
    return longZones.apply(zone).orElse(null);
  }

  @Override
  public void release(EventBlock block) {
    released.accept(block);
  }
}
