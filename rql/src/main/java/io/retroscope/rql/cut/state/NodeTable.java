// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.rql.cut.NaturalOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes that a walk has found. Each has a small number, its id, which indexes arrays. Ids
 * follow the order of discovery; ranks follow the natural order of names. Used by one thread.
 */
public final class NodeTable {
  /** The id that means no node. */
  public static final int NONE = -1;

  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private int[] byRank = new int[0];

  /* The node found last and, for each, the one found after it: blocks mostly have the same order. */
  private int latest = NONE;
  private int[] after = {};

  /** Returns the id of a node; a new name gets a new id. */
  public int idOf(String name) {
    int id = find(name);
    return id == NONE ? add(name) : id;
  }

  /** Returns the id of a node, or {@link #NONE} if it is unknown. */
  public int find(String name) {
    int expected = latest == NONE ? NONE : after[latest];
    if (expected != NONE && names.get(expected).equals(name)) {
      latest = expected;
      return expected;
    }
    int id = ids.getOrDefault(name, NONE);
    if (latest != NONE && id != NONE) {
      after[latest] = id;
    }
    latest = id;
    return id;
  }

  /** Returns the name of the node with this id. */
  public String name(int id) {
    return names.get(id);
  }

  /** The number of nodes; ids and ranks are at least 0 and less than this. */
  public int size() {
    return byRank.length;
  }

  /** Returns the id of the node with this rank in the natural order. */
  public int atRank(int rank) {
    return byRank[rank];
  }

  private int add(String name) {
    int id = names.size();
    names.add(name);
    ids.put(name, id);
    if (id == after.length) {
      after = Arrays.copyOf(after, Math.max(16, 2 * id));
      Arrays.fill(after, id, after.length, NONE);
    }
    int rank = rankFor(name);
    int[] longer = Arrays.copyOf(byRank, id + 1);
    System.arraycopy(byRank, rank, longer, rank + 1, id - rank);
    longer[rank] = id;
    byRank = longer;
    return id;
  }

  /** The number of nodes whose names precede a new one. */
  private int rankFor(String name) {
    int low = 0;
    int high = byRank.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (NaturalOrder.INSTANCE.compare(names.get(byRank[middle]), name) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
