// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The nodes and raw clock readings of the events that made a cut. Used by one thread. */
public final class CutOrigin {
  private final List<String> nodes = new ArrayList<>();
  private long[] physicalMicros = new long[4];

  /** An origin without events. */
  public CutOrigin() {}

  /** A copy that does not change with the original. */
  public static CutOrigin copyOf(CutOrigin other) {
    CutOrigin copy = new CutOrigin();
    copy.nodes.addAll(other.nodes);
    copy.physicalMicros = other.physicalMicros.clone();
    return copy;
  }

  /** The nodes of the events, in the order of these; a node may occur several times. */
  public List<String> nodes() {
    return Collections.unmodifiableList(nodes);
  }

  /** The raw reading of an event; {@link Event#NO_PHYSICAL} if it has none. */
  public long readingMicros(int event) {
    return physicalMicros[event];
  }

  void clear() {
    nodes.clear();
  }

  /** Adds an event. */
  public void add(String node, long physical) {
    if (nodes.size() == physicalMicros.length) {
      physicalMicros = Arrays.copyOf(physicalMicros, 2 * physicalMicros.length);
    }
    physicalMicros[nodes.size()] = physical;
    nodes.add(node);
  }

  /**
   * Returns the time of the cut on the reference node's clock: the raw reading of each event plus
   * its node's offset, within the intersection of their bounds.
   *
   * @param hlc the cut's packed stamp; its physical part is returned if no reading can be aligned
   */
  public CutTime time(long hlc, ClockOffsets offsets) {
    return nodes.size() == 1
        ? CutTime.of(hlc, nodes.get(0), physicalMicros[0], offsets)
        : timeOfSeveral(hlc, offsets);
  }

  private CutTime timeOfSeveral(long hlc, ClockOffsets offsets) {
    CutTime.Intersection intersection = new CutTime.Intersection();
    for (int i = 0; i < nodes.size(); i++) {
      long physical = physicalMicros[i];
      Optional<Offset> offset =
          physical == Event.NO_PHYSICAL ? Optional.empty() : offsets.offset(nodes.get(i), hlc);
      if (offset.isPresent()) {
        intersection.add(physical, offset.get());
      } else {
        intersection.addUnknown();
      }
    }
    String only = onlyNode();
    long reading = only.isEmpty() ? leastReading() : physicalMicros[nodes.size() - 1];
    return intersection.result(hlc, only, reading, offsets);
  }

  private long leastReading() {
    long least = Event.NO_PHYSICAL;
    for (int i = 0; i < nodes.size(); i++) {
      long reading = physicalMicros[i];
      boolean isLess = least == Event.NO_PHYSICAL || reading < least;
      least = reading != Event.NO_PHYSICAL && isLess ? reading : least;
    }
    return least;
  }

  private String onlyNode() {
    for (String node : nodes) {
      if (!node.equals(nodes.get(0))) {
        return "";
      }
    }
    return nodes.isEmpty() ? "" : nodes.get(0);
  }
}
