package io.retroscope.rql.cut;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The nodes and raw clock readings of the events that made a cut. Used by one thread. */
public final class CutOrigin {
  private final List<String> nodes = new ArrayList<>();
  private long[] physicalMicros = new long[4];

  CutOrigin() {}

  void clear() {
    nodes.clear();
  }

  void add(String node, long physical) {
    if (nodes.size() == physicalMicros.length) {
      physicalMicros = Arrays.copyOf(physicalMicros, 2 * physicalMicros.length);
    }
    physicalMicros[nodes.size()] = physical;
    nodes.add(node);
  }

  /**
   * When the cut was, on the reference node's clock: each event's raw reading plus its node's
   * offset, and the intersection of what their bounds allow.
   *
   * @param hlc the cut's packed stamp, whose physical part serves where no reading can be aligned
   */
  public CutTime time(long hlc, ClockOffsets offsets) {
    CutTime.Intersection intersection = new CutTime.Intersection();
    for (int i = 0; i < nodes.size(); i++) {
      long physical = physicalMicros[i];
      if (physical != Event.NO_PHYSICAL) {
        offsets
            .offset(nodes.get(i), hlc)
            .ifPresent((Offset offset) -> intersection.add(physical, offset));
      }
    }
    return intersection.result(hlc);
  }
}
