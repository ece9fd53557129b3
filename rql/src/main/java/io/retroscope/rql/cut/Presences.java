// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.EventSource.Sighting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The presences of all nodes, gathered from sightings in the order of their stamps. Requires up to
 * 24 bytes per sighting. Built by one thread; may then be read by any.
 */
final class Presences {
  private final Map<String, Stays> nodes = new TreeMap<>(NaturalOrder.INSTANCE);

  /** Gathers sightings, which must be ordered by stamp. */
  static Collection<Presence> of(Iterator<Sighting> sightings) {
    Presences presences = new Presences();
    sightings.forEachRemaining(
        seen -> presences.see(seen.node(), seen.hlc(), seen.assuredMicros()));
    return presences.all();
  }

  /** Adds a sighting, not before the previous one; see {@link Sighting}. */
  void see(String node, long hlc, long assuredMicros) {
    nodes.computeIfAbsent(node, Stays::new).see(hlc, assuredMicros);
  }

  /** The presences so far, in the natural order of the nodes. */
  List<Presence> all() {
    return new ArrayList<>(nodes.values());
  }

  /** The ranges of one node in arrays, ascending. */
  private static final class Stays implements Presence {
    private final String node;
    private long[] from = new long[1];
    private long[] to = new long[1];
    private long[] assuredMicros = new long[1];
    private int size;

    Stays(String node) {
      this.node = node;
    }

    private void see(long hlc, long assured) {
      int last = size - 1;
      if (size > 0 && Presence.reaches(to[last], assuredMicros[last], hlc)) {
        to[last] = hlc;
        assuredMicros[last] = assured >= 0 ? assured : assuredMicros[last];
        return;
      }
      if (size == from.length) {
        from = Arrays.copyOf(from, 2 * size);
        to = Arrays.copyOf(to, 2 * size);
        assuredMicros = Arrays.copyOf(assuredMicros, 2 * size);
      }
      from[size] = hlc;
      to[size] = hlc;
      assuredMicros[size] = Math.max(0, assured);
      size++;
    }

    private Stay stay(int index) {
      return new Stay(from[index], to[index], assuredMicros[index]);
    }

    @Override
    public String node() {
      return node;
    }

    @Override
    public Optional<Stay> latest(long hlc) {
      int found = Arrays.binarySearch(from, 0, size, hlc);
      int index = found >= 0 ? found : -found - 2;
      return index < 0 ? Optional.empty() : Optional.of(stay(index));
    }

    @Override
    public Iterator<Stay> from(long hlc) {
      int found = Arrays.binarySearch(from, 0, size, hlc);
      return new Ascent(found >= 0 ? found : -found - 1);
    }

    private final class Ascent implements Iterator<Stay> {
      private int next;

      Ascent(int first) {
        next = first;
      }

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      public Stay next() {
        if (next >= size) {
          throw new NoSuchElementException();
        }
        return stay(next++);
      }
    }
  }
}
