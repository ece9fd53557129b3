package io.retroscope.rql.cut;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes that a walk has met, each under a small number, its id, that indexes arrays. Ids follow
 * the order of discovery; ranks follow the natural order of names. Used by one thread.
 */
public final class NodeTable {
  /** Stands for no node. */
  public static final int NONE = -1;

  private final Map<String, Integer> ids = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private int[] byRank = new int[0];

  /** The id of a node, a new one where the name is new. */
  public int idOf(String name) {
    Integer id = ids.get(name);
    return id != null ? id : add(name);
  }

  /** The id of a node, or {@link #NONE} where it was never met. */
  public int find(String name) {
    return ids.getOrDefault(name, NONE);
  }

  /** The name of the node with this id. */
  public String name(int id) {
    return names.get(id);
  }

  /** How many nodes were met; ids and ranks run from 0 to below it. */
  public int size() {
    return byRank.length;
  }

  /** The id of the node that stands at this place in the natural order. */
  public int atRank(int rank) {
    return byRank[rank];
  }

  private int add(String name) {
    int id = names.size();
    names.add(name);
    ids.put(name, id);
    int rank = 0;
    while (rank < id && NaturalOrder.INSTANCE.compare(names.get(byRank[rank]), name) < 0) {
      rank++;
    }
    int[] longer = Arrays.copyOf(byRank, id + 1);
    System.arraycopy(byRank, rank, longer, rank + 1, id - rank);
    longer[rank] = id;
    byRank = longer;
    return id;
  }
}
