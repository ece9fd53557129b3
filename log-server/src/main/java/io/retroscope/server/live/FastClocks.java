// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.NaturalOrder;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A rule that prevents a fast clock from moving the watermark past events that other nodes still
 * record. Guarded by its tracker.
 */
/*
 * The watermark is the lowest frontier, so a fast clock does no harm while another node counts. But
 * while it is alone - at first, after a restart, or while the others are silent - the watermark
 * would follow it, and everything that the others record until their clocks catch up would be too
 * late for live queries. So while a node is ahead of the server's clock, the watermark does not
 * pass that clock.
 *
 * If more than half of the nodes, and at least two, are ahead, the server's clock is assumed to be
 * slow and is ignored.
 */
final class FastClocks {
  /** The normal difference between synchronised clocks, which does not count as a lead. */
  static final long TOLERATED_MICROS = 20_000;

  /**
   * A node with a larger lag sends events that were recorded earlier, which are no evidence about
   * clocks.
   */
  static final long OLD_MICROS = TimeUnit.MINUTES.toMicros(1);

  /** The most nodes that a sentence names. */
  private static final int MAX_NAMED = 5;

  private final PhysicalClock clock;
  private final long idleMicros;

  /** The lead of each node's last raw reading over the server's clock, when it arrived. */
  private final Map<String, Long> readingLeads = new HashMap<>();

  /** The number of active runs with current stamps, and of those the number that are ahead. */
  private int current;

  private int ahead;
  private boolean serverIsSlow;

  FastClocks(PhysicalClock clock, long idleNanos) {
    this.clock = clock;
    this.idleMicros = TimeUnit.NANOSECONDS.toMicros(idleNanos);
  }

  /** The lead of a frontier over the server's clock; negative if it lags. */
  long leadMicros(long frontier) {
    return HlcTimestamp.micros(frontier) - clock.micros();
  }

  /** Notes the last reading of each node in a block that has arrived. */
  void read(EventBlock block) {
    if (block.nodes().size() == 1 && !block.isEmpty()) {
      read(block.nodes().get(0), block.physicalMicros(block.size() - 1));
      return;
    }
    for (int row = 0; row < block.size(); row++) {
      read(block.nodes().get(block.nodeIndex(row)), block.physicalMicros(row));
    }
  }

  void read(String node, long physicalMicros) {
    if (physicalMicros != Event.NO_PHYSICAL) {
      readingLeads.put(node, physicalMicros - clock.micros());
    }
  }

  /** Forgets the readings of a node that is gone. */
  void forget(String node) {
    readingLeads.remove(node);
  }

  /**
   * The lead of a node's own clock over the server's. A node whose readings are not known is judged
   * by its stamps, which another node may have raised.
   */
  long clockLeadMicros(Lane lane) {
    Long known = readingLeads.get(lane.node.name);
    return known == null ? lane.leadMicros : known;
  }

  /** Whether a node's own clock is ahead of the server's. */
  boolean hasFastClock(Lane lane) {
    return lane.standing.isHeard() && clockLeadMicros(lane) > TOLERATED_MICROS;
  }

  /** Whether a run's stamps are ahead of the server's clock. */
  static boolean isAhead(Lane lane) {
    return lane.standing.isHeard() && lane.leadMicros > TOLERATED_MICROS;
  }

  static boolean isCurrent(Lane lane) {
    return lane.standing.isHeard() && lane.leadMicros >= -OLD_MICROS;
  }

  void add(Lane lane) {
    current += isCurrent(lane) ? 1 : 0;
    ahead += isAhead(lane) ? 1 : 0;
  }

  /** Removes a run before it changes. */
  void remove(Lane lane) {
    current -= isCurrent(lane) ? 1 : 0;
    ahead -= isAhead(lane) ? 1 : 0;
  }

  /** The highest watermark that is allowed when the frontiers would allow {@code stamp}. */
  long limit(long stamp) {
    if (current > 0) {
      serverIsSlow = 2 * ahead > current && (serverIsSlow || ahead > 1);
    }
    boolean fast = ahead > 0 || leadMicros(stamp) > TOLERATED_MICROS;
    return fast && !serverIsSlow
        ? Math.min(stamp, HlcTimestamp.pack(Math.max(0, clock.micros() - idleMicros)))
        : stamp;
  }

  /** A sentence about a server clock that is assumed to be slow; empty if it is not. */
  Optional<String> trouble(Collection<Lane> lanes) {
    long[] leads =
        lanes.stream().filter(this::hasFastClock).mapToLong(this::clockLeadMicros).toArray();
    Arrays.sort(leads);
    long median = leads.length == 0 ? 0 : leads[leads.length / 2];
    boolean areMost = 2 * leads.length > current && leads.length > 1;
    return serverIsSlow && areMost && median > idleMicros
        ? Optional.of(
            "most nodes' clocks (%s) are ahead of this server's, by %d s: synchronise the server's clock"
                .formatted(names(lanes), TimeUnit.MICROSECONDS.toSeconds(median)))
        : Optional.empty();
  }

  private String names(Collection<Lane> lanes) {
    List<String> names =
        lanes.stream()
            .filter(this::hasFastClock)
            .map(lane -> lane.node.name)
            .distinct()
            .sorted(NaturalOrder.INSTANCE)
            .toList();
    int more = names.size() - MAX_NAMED;
    return String.join(", ", names.subList(0, Math.min(names.size(), MAX_NAMED)))
        + (more > 0 ? " and %d more".formatted(more) : "");
  }
}
