package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The rule that keeps a clock that is fast from carrying the watermark past what the others still
 * record. Guarded by its tracker.
 */
/*
 * The watermark is the lowest frontier, so a fast clock does no harm while another node counts. But
 * where it is alone for a moment, at first, after a restart or while the others are silent, the
 * watermark would follow it, and all that the others record until their clocks get there would be
 * too late for live queries. So while a node is ahead of the server's clock, the watermark stays
 * behind that clock. If more than half of the nodes are ahead, and not one alone, the server's
 * clock is the slow one, and is not asked.
 */
final class FastClocks {
  /** Clocks that are synchronised differ by so much: that is not ahead. */
  static final long TOLERATED_MICROS = 20_000;

  /** A node this far behind sends what was recorded earlier, which says nothing of clocks. */
  static final long OLD_MICROS = TimeUnit.MINUTES.toMicros(1);

  private final PhysicalClock clock;
  private final long idleMicros;

  /** Runs that are heard from and whose stamps are of now, and how many of them are ahead. */
  private int current;

  private int ahead;
  private boolean serverIsSlow;

  FastClocks(PhysicalClock clock, long idleNanos) {
    this.clock = clock;
    this.idleMicros = TimeUnit.NANOSECONDS.toMicros(idleNanos);
  }

  /** How far a frontier is ahead of the server's clock now; negative if it is behind. */
  long leadMicros(long frontier) {
    return HlcTimestamp.micros(frontier) - clock.micros();
  }

  static boolean isAhead(Lane lane) {
    return lane.standing.isHeard() && lane.leadMicros > TOLERATED_MICROS;
  }

  private static boolean isCurrent(Lane lane) {
    return lane.standing.isHeard() && lane.leadMicros >= -OLD_MICROS;
  }

  void add(Lane lane) {
    current += isCurrent(lane) ? 1 : 0;
    ahead += isAhead(lane) ? 1 : 0;
  }

  /** Takes out a run before it changes. */
  void remove(Lane lane) {
    current -= isCurrent(lane) ? 1 : 0;
    ahead -= isAhead(lane) ? 1 : 0;
  }

  /** How far the watermark may go that would go to a stamp otherwise. */
  long limit(long stamp) {
    if (current > 0) {
      serverIsSlow = 2 * ahead > current && (serverIsSlow || ahead > 1);
    }
    boolean fast = ahead > 0 || leadMicros(stamp) > TOLERATED_MICROS;
    return fast && !serverIsSlow
        ? Math.min(stamp, HlcTimestamp.pack(Math.max(0, clock.micros() - idleMicros)))
        : stamp;
  }

  /** That the server's clock is taken for the slow one, in one sentence; empty if it is not. */
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
