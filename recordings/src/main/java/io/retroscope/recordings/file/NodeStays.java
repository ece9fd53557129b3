// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.Presence;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * The ranges in which one node was seen, in 24 bytes each. Built by one thread; may then be read by
 * any.
 */
final class NodeStays implements Presence {
  private final String node;
  private long[] from = new long[1];
  private long[] to = new long[1];
  private long[] assuredMicros = new long[1];
  private int size;

  NodeStays(String node) {
    this.node = node;
  }

  /** Adds a sighting, not before the previous one; {@link Sighting} explains the assured time. */
  void see(long hlc, long assured) {
    int last = size - 1;
    if (size > 0 && Presence.reaches(to[last], assuredMicros[last], hlc)) {
      to[last] = hlc;
      assuredMicros[last] = assured >= 0 ? assured : assuredMicros[last];
      return;
    }
    add(hlc, hlc, Math.max(0, assured));
  }

  private void add(long first, long last, long assured) {
    if (size == from.length) {
      from = Arrays.copyOf(from, 2 * size);
      to = Arrays.copyOf(to, 2 * size);
      assuredMicros = Arrays.copyOf(assuredMicros, 2 * size);
    }
    from[size] = first;
    to[size] = last;
    assuredMicros[size] = assured;
    size++;
  }

  /** The range with an index, ascending. */
  Stay stay(int index) {
    return new Stay(from[index], to[index], assuredMicros[index]);
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public Optional<Stay> latest(long hlc) {
    int next = firstAfter(hlc);
    return next == 0 ? Optional.empty() : Optional.of(stay(next - 1));
  }

  /** The index of the first range that begins after a stamp. */
  private int firstAfter(long hlc) {
    int found = Arrays.binarySearch(from, 0, size, hlc);
    return found < 0 ? -found - 1 : found + 1;
  }

  @Override
  public Iterator<Stay> from(long hlc) {
    int found = Arrays.binarySearch(from, 0, size, hlc);
    int first = found < 0 ? -found - 1 : found;
    return new Iterator<>() {
      private int next = first;

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      public Stay next() {
        if (!hasNext()) {
          throw new NoSuchElementException("no more ranges of " + node);
        }
        return stay(next++);
      }
    };
  }

  void write(WireWriter out) {
    out.putVarint(size);
    for (int i = 0; i < size; i++) {
      out.putLong(HlcTimestamp.toWire(from[i]));
      out.putLong(HlcTimestamp.toWire(to[i]));
      out.putVarint(assuredMicros[i]);
    }
  }

  static NodeStays read(String node, WireReader in) throws CorruptBlockException {
    NodeStays stays = new NodeStays(node);
    int count = in.getCount("ranges");
    for (int i = 0; i < count; i++) {
      long first = HlcTimestamp.fromWire(in.getLong());
      long last = HlcTimestamp.fromWire(in.getLong());
      boolean ascends = first <= last && (i == 0 || stays.to[i - 1] < first);
      if (!ascends) {
        throw in.corrupt("ranges of " + node + " that do not ascend");
      }
      stays.add(first, last, in.getVarint());
    }
    return stays;
  }
}
