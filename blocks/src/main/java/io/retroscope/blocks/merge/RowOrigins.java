// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The origins of merged rows, as {@link JoinedParts} uses them, found when one is first needed.
 * Thread-safe; only the thread that merges may change the order of rows.
 */
final class RowOrigins {
  /** For each run, the origins of its rows in their order. */
  private final int[][] ofRuns;

  private final int[] runs;
  private volatile int @Nullable [] origins;

  private RowOrigins(int[][] ofRuns, int[] runs) {
    this.ofRuns = ofRuns;
    this.runs = runs;
  }

  /**
   * The origins of the selected rows of runs.
   *
   * @param runs of each merged row, the index of its run, of which the rows keep their order
   */
  static RowOrigins of(List<RunRows> all, int[] runs) {
    int[][] ofRuns = new int[all.size()][];
    for (int i = 0; i < ofRuns.length; i++) {
      RunRows run = all.get(i);
      ofRuns[i] = Arrays.copyOfRange(run.origins(), run.from(), run.to());
    }
    return new RowOrigins(ofRuns, runs);
  }

  /** The origin of a row. */
  int of(int row) {
    return all()[row];
  }

  /** The origins of all rows. */
  int[] all() {
    int[] known = origins;
    return known == null ? find() : known;
  }

  private synchronized int[] find() {
    int[] known = origins;
    if (known == null) {
      known = new int[runs.length];
      int[] next = new int[ofRuns.length];
      for (int row = 0; row < known.length; row++) {
        known[row] = ofRuns[runs[row]][next[runs[row]]++];
      }
      origins = known;
    }
    return known;
  }
}
