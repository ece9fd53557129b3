package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import java.util.Arrays;
import java.util.Collection;
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

  private final PhysicalClock clock;
  private final long idleMicros;

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
        lanes.stream().filter(FastClocks::isAhead).mapToLong(lane -> lane.leadMicros).toArray();
    Arrays.sort(leads);
    long median = leads.length == 0 ? 0 : leads[leads.length / 2];
    return serverIsSlow && median > idleMicros
        ? Optional.of(
            "most nodes' clocks are ahead of this server's, by %d s: synchronise the server's clock"
                .formatted(TimeUnit.MICROSECONDS.toSeconds(median)))
        : Optional.empty();
  }
}
