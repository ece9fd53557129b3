// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.PackedColumn;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The columns that all rows of a sealed block have, kept after they are first decoded, for several
 * readers of different variables. The arrays must not be changed. Used by one thread.
 */
final class KeptColumns {
  private final Map<Section.Kind, PackedColumn[]> columns = new EnumMap<>(Section.Kind.class);
  private long @Nullable [] stamps;
  private int @Nullable [] runIndexes;

  /** A decoder of a column. */
  interface Decoder<T> {
    T decode() throws CorruptBlockException;
  }

  long[] stamps(Decoder<long[]> decoder) throws CorruptBlockException {
    long[] known = stamps;
    if (known == null) {
      known = decoder.decode();
      stamps = known;
    }
    return known;
  }

  int[] runIndexes(Decoder<int[]> decoder) throws CorruptBlockException {
    int[] known = runIndexes;
    if (known == null) {
      known = decoder.decode();
      runIndexes = known;
    }
    return known;
  }

  PackedColumn[] columns(Section.Kind kind, Decoder<PackedColumn[]> decoder)
      throws CorruptBlockException {
    PackedColumn[] known = columns.get(kind);
    if (known == null) {
      known = decoder.decode();
      columns.put(kind, known);
    }
    return known;
  }
}
