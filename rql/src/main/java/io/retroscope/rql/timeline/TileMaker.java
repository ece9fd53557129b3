// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.timeline;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import io.retroscope.rql.timeline.Tile.Missing;
import io.retroscope.rql.timeline.TimelineBlocks.Part;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes one tile. A sealed block counts by its stored summary alone, whatever its size. Blocks that
 * have none, because they are not sealed yet or an older program sealed them, are read, up to a
 * number of events. The tile lists all others. Used by one thread.
 */
public final class TileMaker {
  /** The largest number of pairs of a log and a node in a tile. */
  public static final int MAX_LANES = 256;

  /** The largest number of variables in a tile, of all logs. */
  public static final int MAX_VARIABLES = 32;

  /** The largest number of pairs of a variable and a node that have extremes of their own. */
  public static final int MAX_SERIES = 256;

  private static final int MAX_MISSING = 256;

  private final TimelineBlocks blocks;
  private final TileAddress address;
  private final Limits limits;
  private final List<Part> all;
  private final IdentityHashMap<Part, EventBlock> read = new IdentityHashMap<>();
  private final List<Missing> missing = new ArrayList<>();
  private int finestLevel = -1;
  private int finestNodeLevel = -1;
  private int summariesRead;
  private long eventsRead;

  /** A tile has too many nodes; the message is a sentence for users. */
  public static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A tile that another process has found to have too many nodes. */
    public TooLargeException(String message) {
      super(message);
    }
  }

  /**
   * The work for one tile.
   *
   * @param summaries the largest number of summaries of sealed blocks
   * @param events the largest number of events of other blocks
   * @param lanes the largest number of pairs of a log and a node, at most {@link #MAX_LANES}
   */
  public record Limits(int summaries, long events, int lanes) {
    /** Those of the server: summaries of about 160 million events, and two sealing batches. */
    public static final Limits DEFAULT = new Limits(20_000, 1 << 17);

    /** Limits for a tile with the most pairs of a log and a node. */
    public Limits(int summaries, long events) {
      this(summaries, events, MAX_LANES);
    }

    /** How many pairs of a variable and a node have extremes of their own. */
    int series() {
      return lanes * MAX_SERIES / MAX_LANES;
    }

    /** The same with fewer pairs, for a part of the memory: at least one. */
    public Limits within(long bytes, long wholeBytes) {
      long part = bytes * MAX_LANES / wholeBytes;
      return new Limits(summaries, events, (int) Math.max(1, Math.min(MAX_LANES, part)));
    }
  }

  /** The work for one tile. */
  public TileMaker(TimelineBlocks blocks, TileAddress address, Limits limits) {
    this.blocks = blocks;
    this.address = address;
    this.limits = limits;
    this.all =
        blocks.parts(address.range()).stream()
            .sorted(Comparator.comparingLong(Part::firstHlc).thenComparingLong(Part::lastHlc))
            .toList();
  }

  /**
   * What tiles are made of: as long as that is equal, so are the tiles of an address.
   *
   * @param blocks the ids of the blocks
   * @param gaps the known losses that overlap the tile
   * @param ahead the ranges that overlap the tile in which stamps were ahead of every clock
   */
  public record Source(List<Long> blocks, List<Gap> gaps, List<Ahead> ahead) {
    /** Copies the lists. */
    public Source {
      blocks = List.copyOf(blocks);
      gaps = List.copyOf(gaps);
      ahead = List.copyOf(ahead);
    }
  }

  /** What the tile is made of, which takes much less time than to make it. */
  public Source source() {
    return new Source(
        all.stream().map(Part::id).toList(),
        blocks.gaps(address.range()),
        blocks.ahead(address.range()));
  }

  /**
   * Makes the tile.
   *
   * @param wanted the logs; all if empty
   * @param variables the only variables of which extremes are wanted; all if empty
   * @throws TooLargeException if it has too many nodes
   */
  public Tile make(Set<String> wanted, Set<String> variables) {
    HlcRange range = address.range();
    List<Part> parts =
        all.stream()
            .filter(part -> wanted.isEmpty() || part.logs().stream().anyMatch(wanted::contains))
            .toList();
    Set<String> logs = new TreeSet<>();
    parts.forEach(part -> logs.addAll(part.logs()));
    if (!wanted.isEmpty()) {
      logs.retainAll(wanted);
    }
    checkLanes(parts, logs);
    Map<String, TimelineBins> made = new TreeMap<>();
    int variableCount = 0;
    int series = 0;
    for (String log : logs) {
      TimelineBins bins =
          bins(
              log,
              parts,
              new TimelineBins.Limits(
                  MAX_VARIABLES - variableCount, limits.series() - series, variables));
      variableCount += bins.variables().size();
      series += bins.series();
      if (!bins.lanes().isEmpty()) {
        made.put(log, bins);
      }
    }
    return new Tile(
        address,
        made,
        joined(missing),
        finestLevel < 0 ? OptionalInt.empty() : OptionalInt.of(finestLevel),
        finestNodeLevel < 0 ? OptionalInt.empty() : OptionalInt.of(finestNodeLevel),
        blocks.gaps(range),
        blocks.ahead(range),
        read.size());
  }

  private void checkLanes(List<Part> parts, Set<String> logs) {
    Map<String, Set<String>> lanes = new TreeMap<>();
    int count = 0;
    for (Part part : parts) {
      for (String log : part.logs()) {
        if (logs.contains(log)) {
          Set<String> nodes = lanes.computeIfAbsent(log, name -> new HashSet<>());
          Iterator<String> names = part.nodes().get().iterator();
          while (names.hasNext() && count <= limits.lanes()) {
            count += nodes.add(names.next()) ? 1 : 0;
          }
        }
      }
    }
    if (count > limits.lanes()) {
      throw tooLarge(limits.lanes());
    }
  }

  private TimelineBins bins(String log, List<Part> parts, TimelineBins.Limits wanted) {
    TimelineBins bins =
        new TimelineBins(address.level(), address.firstBin(), TileAddress.BINS, wanted);
    List<EventBlock> rows = new ArrayList<>();
    for (Part part : parts) {
      if (part.logs().contains(log)) {
        Optional<TimelineBins> summary = summary(part);
        if (summary.isEmpty()) {
          rows(part, log).ifPresent(rows::add);
        } else if (summary.get().level() > address.level()) {
          finestLevel = Math.max(finestLevel, summary.get().level());
          addMissing(log, part);
        } else {
          bins.add(summary.get());
          if (summary.get().nodeLevel() > address.level()) {
            finestNodeLevel = Math.max(finestNodeLevel, summary.get().nodeLevel());
          }
          Set<String> uncounted = new TreeSet<>(part.written());
          uncounted.removeAll(summary.get().variables().keySet());
          bins.addUncounted(uncounted);
        }
      }
    }
    bins.add(rows, log);
    return bins;
  }

  private Optional<TimelineBins> summary(Part part) {
    if (summariesRead >= limits.summaries()) {
      return Optional.empty();
    }
    Optional<TimelineBins> summary = part.summary().get();
    summariesRead += summary.isPresent() ? 1 : 0;
    return summary;
  }

  private Optional<EventBlock> rows(Part part, String log) {
    if (!read.containsKey(part)) {
      if (eventsRead + part.eventCount() > limits.events()) {
        addMissing(log, part);
        return Optional.empty();
      }
      eventsRead += part.eventCount();
      read.put(part, part.rows().get());
    }
    return Optional.of(read.get(part));
  }

  private void addMissing(String log, Part part) {
    HlcRange range = address.range();
    missing.add(
        new Missing(
            log,
            new HlcRange(
                Math.max(range.from(), part.firstHlc()), Math.min(range.to(), part.lastHlc()))));
  }

  /** A tile has too many nodes. */
  static TooLargeException tooLarge(int lanes) {
    return new TooLargeException(
        "the tile has more than %d pairs of a log and a node; select fewer with log="
            .formatted(lanes));
  }

  /** Ranges of the same log as one if they overlap, or if they are too many. */
  static List<Missing> joined(List<Missing> parts) {
    List<Missing> joined = new ArrayList<>();
    for (Missing part : parts) {
      Missing last = joined.isEmpty() ? part : joined.get(joined.size() - 1);
      boolean isSame = !joined.isEmpty() && last.log().equals(part.log());
      if (isSame && (part.range().from() <= last.range().to() || joined.size() >= MAX_MISSING)) {
        long to = Math.max(last.range().to(), part.range().to());
        joined.set(
            joined.size() - 1, new Missing(part.log(), new HlcRange(last.range().from(), to)));
      } else {
        joined.add(part);
      }
    }
    return joined;
  }
}
