// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.blocks.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs with ids from 0 in the order in which they were found. Used by one thread. */
final class RunTable {
  private static final int NONE = -1;

  private final Map<Run, Integer> ids = new HashMap<>();
  private final List<Run> runs = new ArrayList<>();

  /* The run found last and, for each, the one found after it: blocks mostly have the same order. */
  private int latest = NONE;
  private int[] after = {};

  /** The id of a run; a new run gets a new id. */
  int idOf(String node, String incarnation) {
    int expected = latest == NONE ? NONE : after[latest];
    if (expected == NONE || !is(runs.get(expected), node, incarnation)) {
      expected = find(new Run(node, incarnation));
    }
    latest = expected;
    return expected;
  }

  private static boolean is(Run run, String node, String incarnation) {
    return run.node().equals(node) && run.incarnation().equals(incarnation);
  }

  private int find(Run run) {
    Integer known = ids.putIfAbsent(run, runs.size());
    int id = known == null ? runs.size() : known;
    if (known == null) {
      runs.add(run);
      if (id == after.length) {
        after = Arrays.copyOf(after, Math.max(16, 2 * id));
        Arrays.fill(after, id, after.length, NONE);
      }
    }
    if (latest != NONE) {
      after[latest] = id;
    }
    return id;
  }

  /** The runs in the order of their ids. */
  List<Run> runs() {
    return runs;
  }
}
