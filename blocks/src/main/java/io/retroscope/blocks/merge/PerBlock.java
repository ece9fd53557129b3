// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the reader of an {@link ArrivalWindow} knows about each block that the window refers to, so
 * that names are resolved once per block. Used by one thread.
 */
public final class PerBlock<T> {
  private final Function<EventBlock, T> maker;
  private final List<@Nullable Known<T>> bySlot = new ArrayList<>();

  private record Known<T>(EventBlock block, T what) {}

  /** Knowledge that is made when a block is first requested. */
  public PerBlock(Function<EventBlock, T> maker) {
    this.maker = maker;
  }

  /** Returns the knowledge about the block of a row of the window. */
  public T of(ArrivalWindow window, int index) {
    return of(window.slot(index), window.block(index));
  }

  T of(int slot, EventBlock block) {
    Known<T> known = slot < bySlot.size() ? bySlot.get(slot) : null;
    if (known == null || known.block != block) {
      known = new Known<>(block, maker.apply(block));
      while (bySlot.size() <= slot) {
        bySlot.add(null);
      }
      bySlot.set(slot, known);
    }
    return known.what;
  }
}
