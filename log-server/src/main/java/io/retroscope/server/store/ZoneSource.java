package io.retroscope.server.store;

import io.retroscope.blocks.BlockSource;
import io.retroscope.event.EventBlock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A stored block for a merge. Used by one thread.
 *
 * @param matters decides, when the first stamp is due, whether the block is read
 */
record ZoneSource(
    BlockZone zone, Predicate<BlockZone> matters, Function<BlockZone, EventBlock> reader)
    implements BlockSource {
  @Override
  public long firstHlc() {
    return zone.firstHlc();
  }

  @Override
  public long lastHlc() {
    return zone.lastHlc();
  }

  @Override
  public @Nullable EventBlock read() {
    return matters.test(zone) ? reader.apply(zone) : null;
  }
}
