// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.Presence;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * A presence as the list of its ranges. Immutable.
 *
 * @param stays ascending
 */
record ListedPresence(String node, List<Stay> stays) implements Presence {
  /** Copies the list. */
  ListedPresence {
    stays = List.copyOf(stays);
  }

  static ListedPresence of(Presence presence) {
    List<Stay> stays = new ArrayList<>();
    presence.from(Long.MIN_VALUE).forEachRemaining(stays::add);
    return new ListedPresence(presence.node(), stays);
  }

  @Override
  public Optional<Stay> latest(long hlc) {
    int after = firstFrom(hlc == Long.MAX_VALUE ? hlc : hlc + 1);
    // The highest of all stamps has none after it.
    return after == 0 ? Optional.empty() : Optional.of(stays.get(after - 1));
  }

  @Override
  public Iterator<Stay> from(long hlc) {
    return stays.subList(firstFrom(hlc), stays.size()).iterator();
  }

  /** The index of the first range that begins at or after a stamp. */
  private int firstFrom(long hlc) {
    int low = 0;
    int high = stays.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (stays.get(middle).from() < hlc) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
