// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.store.zone.SliceBorders;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A view of the events of one partition, all events of a node being in one of them. Used by one
 * thread; its scans may take turns.
 */
interface PartView extends AutoCloseable {
  /** What the partition has. */
  Facts facts();

  /** Reasons why events of a range may be missing. */
  Doubts doubts(HlcRange range);

  /** When each node was seen. */
  List<Presence> presences();

  /** As {@link io.retroscope.rql.cut.EventSource.View#mayWrite}, for a node of the partition. */
  boolean mayWrite(String node, Set<String> logs);

  /**
   * How many of the partition's blocks were read for this view, except at servers before one that
   * failed.
   */
  BlockCount blockCount();

  /**
   * A tile of the partition's timeline.
   *
   * @throws TileMaker.TooLargeException if it has too many nodes
   */
  Tile tile(TileRequest wanted);

  /** The events that a scan selects; it must be closed. */
  PieceFeed scan(Scan scan);

  /**
   * The events of a range that matter to a walk, as they are stored; empty if they are not stored
   * in this process. What the set needs ends with the view.
   */
  default Optional<BlockSet> blocks(Interest interest, HlcRange range) {
    return Optional.empty();
  }

  /**
   * Opens another view of the same events, for another thread. Any thread may call it while this
   * view is open, and this one is closed last.
   */
  PartView another();

  /** The sealed blocks of logs in a range; empty if they are not stored in this process. */
  default List<SliceBorders.Start> sealed(Set<String> logs, HlcRange range) {
    return List.of();
  }

  @Override
  void close();

  /**
   * A selection of events.
   *
   * @param selection what of them is used, with the starts and stops of nodes
   */
  record Scan(Kind kind, Selection selection, HlcRange range) {
    /** The kinds of scans, as those of a view. */
    enum Kind {
      /** The events of the range; those of which nothing is used may be missing. */
      EVENTS,
      /** The same, in blocks that may have events before and after the range. */
      BLOCKS,
      /** All events of the range, those of overlapping runs with their incarnations only. */
      RUNS,
      /** Events of the range that lead to the same state after it as all of them. */
      STATE,
      /** The evidence about clocks of the range, whatever the selection. */
      CLOCKS
    }

    /** The part of the scan above a stamp, for a reader that has all events up to it. */
    Scan after(long hlc) {
      // Events that the start of a state left out may be among those of another copy. And blocks
      // of another copy may have events that were read.
      Kind rest = kind == Kind.STATE || kind == Kind.BLOCKS ? Kind.EVENTS : kind;
      return new Scan(rest, selection, new HlcRange(hlc + 1, range.to()));
    }

    /** Whether blocks may have events before and after the range, which do not count. */
    boolean mayReachBeyond() {
      return kind == Kind.BLOCKS;
    }
  }

  /**
   * The facts about a partition that hold for all ranges.
   *
   * @param arrivals ordered by stamp
   * @param extent empty if nothing is stored
   * @param overlapping runs whose events may have equal stamps, in the order of these
   * @param evidence the state of the evidence about clocks
   * @param removedHlc packed, the last stamp up to which retention had removed events; below every
   *     stamp if it had removed none
   * @param quarantined the number of events in quarantine
   * @param lost the number of events that senders declared lost
   * @param offset the offset before which exactly all records are contained
   */
  record Facts(
      List<LogDescription> logs,
      List<NodeDescription> nodes,
      List<Sighting> arrivals,
      Optional<HlcRange> extent,
      List<NodeFrontier> frontiers,
      List<Run> overlapping,
      EvidenceMark evidence,
      long removedHlc,
      long quarantined,
      long lost,
      long offset) {
    /** The offset if records arrived just then. */
    static final long NO_OFFSET = -1;

    /** Facts about a partition without events. */
    static final Facts NONE = none(Long.MIN_VALUE, NO_OFFSET);

    /** Facts about a partition from which retention has removed all events. */
    static Facts none(long removedHlc, long offset) {
      return new Facts(
          List.of(),
          List.of(),
          List.of(),
          Optional.empty(),
          List.of(),
          List.of(),
          EvidenceMark.NONE,
          removedHlc,
          0,
          0,
          offset);
    }
  }

  /**
   * Reasons why events of one range may be missing or wrong.
   *
   * @param sampledHlc as that of the {@link EvidenceMark}, at present
   */
  record Doubts(
      List<Gap> gaps, List<Incompleteness> reasons, List<Overlap> overlaps, long sampledHlc) {}
}
