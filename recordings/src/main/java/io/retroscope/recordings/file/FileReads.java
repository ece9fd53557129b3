// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.SealedFile;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.EventSource.BlockCount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The blocks that the scans of one view read. Used by one thread.
 *
 * <p>For several walks that take turns, and for scans that return to a stretch, the blocks that
 * were used last stay in memory, with the columns that all of them decode.
 */
final class FileReads implements BlockReads {
  /**
   * How much several walks share.
   *
   * @param stopBytes of the blocks between two stops of the walks
   * @param keptBytes of the blocks that stay in memory: those between two stops, and blocks of
   *     other logs that reach over many stops
   */
  record Bounds(long stopBytes, long keptBytes) {
    static final Bounds USUAL = new Bounds(1 << 20, 48 << 20);
  }

  /** The decoded columns of a row: stamp and run, with some room for the rest. */
  private static final int BYTES_PER_ROW = 16;

  private final SealedFile file;
  private final Bounds bounds;
  private final Set<Long> read = new HashSet<>();

  /** The blocks by their places in the file, the one used last at the end. */
  private final Map<Long, SealedBlock> kept = new LinkedHashMap<>(16, 0.75f, true);

  private boolean keeps;
  private boolean isShared;
  private long keptBytes;
  private long again;

  FileReads(SealedFile file, Bounds bounds) {
    this.file = file;
    this.bounds = bounds;
  }

  /** Reads a block, unless it is still in memory. */
  SealedBlock read(SealedFile.Entry entry) throws IOException {
    SealedBlock known = kept.get(entry.position());
    if (known != null) {
      return known;
    }
    again += read.add(entry.position()) ? 0 : 1;
    SealedBlock block = file.read(entry);
    return keeps ? keep(entry, block) : block;
  }

  /** What a block does to a state; empty if that is not known, or the block is in memory anyway. */
  Optional<LongZone> longZone(SealedFile.Entry entry) throws IOException {
    return kept.containsKey(entry.position()) ? Optional.empty() : file.longZone(entry);
  }

  private SealedBlock keep(SealedFile.Entry entry, SealedBlock block) {
    SealedBlock keeping = block.keepingColumns();
    kept.put(entry.position(), keeping);
    keptBytes += bytes(block);
    Iterator<SealedBlock> oldest = kept.values().iterator();
    while (keptBytes > bounds.keptBytes() && kept.size() > 1) {
      keptBytes -= bytes(oldest.next());
      oldest.remove();
    }
    return keeping;
  }

  private static long bytes(SealedBlock block) {
    return block.bytes().length + (long) BYTES_PER_ROW * block.rowCount();
  }

  @Override
  public void keep() {
    keeps = true;
  }

  @Override
  public long[] share() {
    keep();
    isShared = true;
    List<SealedFile.Entry> inOrder = new ArrayList<>(file.entries());
    inOrder.sort(Comparator.comparingLong(entry -> entry.zone().lastHlc()));
    List<Long> stops = new ArrayList<>();
    long bytes = 0;
    for (SealedFile.Entry entry : inOrder) {
      bytes += entry.length();
      if (bytes >= bounds.stopBytes()) {
        stops.add(entry.zone().lastHlc());
        bytes = 0;
      }
    }
    return stops.stream().distinct().mapToLong(stop -> stop).toArray();
  }

  /** Whether several walks take turns. */
  boolean isShared() {
    return isShared;
  }

  @Override
  public BlockCount count() {
    return new BlockCount(read.size(), file.entries().size() - (long) read.size(), again);
  }
}
