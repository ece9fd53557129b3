// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.timeline;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A part of a timeline.
 *
 * @param logs the bins of each log by its name; the empty name for starts and stops
 * @param missing parts of the tile whose events are not in the bins
 * @param finestLevel the lowest level at which no summary is too coarse; empty if none is here
 * @param finestNodeLevel the lowest level at which summaries that have extremes of each node have
 *     them; empty if that is here
 * @param gaps the known losses that overlap the tile
 * @param ahead the ranges that overlap the tile in which stamps were ahead of every clock
 * @param blocksRead the number of blocks that were read because they have no summary
 */
public record Tile(
    TileAddress address,
    Map<String, TimelineBins> logs,
    List<Missing> missing,
    OptionalInt finestLevel,
    OptionalInt finestNodeLevel,
    List<Gap> gaps,
    List<Ahead> ahead,
    int blocksRead) {
  /** Copies the collections. */
  public Tile {
    missing = List.copyOf(missing);
    gaps = List.copyOf(gaps);
    ahead = List.copyOf(ahead);
  }

  /**
   * The known losses of each node by bin.
   *
   * @return by node, the runs of bins that the same number of losses overlap, in order
   */
  public SortedMap<String, List<GapRun>> gapRuns() {
    TreeMap<String, int[]> changes = new TreeMap<>();
    for (Gap gap : gaps) {
      int[] ofNode = changes.computeIfAbsent(gap.node(), node -> new int[TileAddress.BINS + 1]);
      ofNode[bin(Math.max(gap.range().from(), address.range().from()))]++;
      ofNode[bin(Math.min(gap.range().to(), address.range().to())) + 1]--;
    }
    TreeMap<String, List<GapRun>> runs = new TreeMap<>();
    changes.forEach((node, ofNode) -> runs.put(node, runs(ofNode)));
    return runs;
  }

  private int bin(long hlc) {
    return (int) (TimelineBins.binOf(hlc, address.level()) - address.firstBin());
  }

  /** The runs of equal sums of changes that are not 0. */
  private static List<GapRun> runs(int[] changes) {
    List<GapRun> runs = new ArrayList<>();
    int from = 0;
    int count = 0;
    for (int bin = 0; bin < changes.length; bin++) {
      if (changes[bin] != 0) {
        if (count > 0) {
          runs.add(new GapRun(from, bin - 1, count));
        }
        from = bin;
        count += changes[bin];
      }
    }
    return runs;
  }

  /** Bins of a node that losses overlap: the first and the last bin, and how many losses do. */
  public record GapRun(int first, int last, int gaps) {}

  /** A range in which events of a log are stored, but not in the tile's bins. */
  public record Missing(String log, HlcRange range) {}
}
