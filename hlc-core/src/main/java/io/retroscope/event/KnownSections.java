// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names at the begin of encoded blocks, found again by their bytes, which are the same in most
 * blocks of a node. Used by one thread.
 */
final class KnownSections {
  static final int NONE = -1;

  /** The number of different lists of names from which on they are forgotten. */
  private static final int MAX_NAMES = 64;

  private static final int ONE_BYTE_CELLS = 64;
  private static final int PRIME = 31;

  private final String log;
  private final List<KnownRun> runs = new ArrayList<>();
  private final Map<List<String>, Integer> runIndexes = new HashMap<>();
  private final List<Names> names = new ArrayList<>();

  /** The indexes of the runs by the hashes of their bytes, or {@link #NONE}. */
  private int[] table = new int[64];

  /** A node and its incarnation. */
  static final class KnownRun {
    private final String node;
    private final String incarnation;
    private final byte[] bytes;
    private @Nullable Names latest;

    private KnownRun(String node, String incarnation) {
      this.node = node;
      this.incarnation = incarnation;
      WireWriter out = new WireWriter();
      out.putTexts(List.of(node));
      out.putText(incarnation);
      bytes = out.toByteArray();
    }

    String node() {
      return node;
    }

    String incarnation() {
      return incarnation;
    }

    /** The number of bytes of the nodes and the incarnation. */
    int length() {
      return bytes.length;
    }
  }

  /**
   * The logs, names, texts and nested values of a block.
   *
   * @param bytes in a block
   * @param logIndex the index of the wanted log
   * @param variables the names
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Names(byte[] bytes, int logIndex, String[] variables) {
    int length() {
      return bytes.length;
    }
  }

  KnownSections(String log) {
    this.log = log;
    Arrays.fill(table, NONE);
  }

  KnownRun run(int index) {
    return runs.get(index);
  }

  int run(String node, String incarnation) {
    Integer known = runIndexes.putIfAbsent(List.of(node, incarnation), runs.size());
    if (known != null) {
      return known;
    }
    runs.add(new KnownRun(node, incarnation));
    if (2 * runs.size() > table.length) {
      table = new int[2 * table.length];
      Arrays.fill(table, NONE);
      for (int i = 0; i < runs.size(); i++) {
        enter(i);
      }
    } else {
      enter(runs.size() - 1);
    }
    return runs.size() - 1;
  }

  private void enter(int index) {
    byte[] own = runs.get(index).bytes;
    int slot = slot(own, 0, own.length);
    while (table[slot] != NONE) {
      slot = (slot + 1) & (table.length - 1);
    }
    table[slot] = index;
  }

  private int slot(byte[] bytes, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = PRIME * hash + bytes[i];
    }
    return (hash ^ hash >>> 15) & (table.length - 1);
  }

  /**
   * The index of the run of a payload; {@link #NONE} if it does not begin with one node, or has a
   * name that is too long.
   */
  int findRun(byte[] bytes, int from, int end) {
    int to = runEnd(bytes, from, end);
    if (to == NONE) {
      return NONE;
    }
    for (int slot = slot(bytes, from, to);
        table[slot] != NONE;
        slot = (slot + 1) & (table.length - 1)) {
      byte[] own = runs.get(table[slot]).bytes;
      if (Arrays.equals(own, 0, own.length, bytes, from, to)) {
        return table[slot];
      }
    }
    return addRun(bytes, from, to);
  }

  /** Where the incarnation ends, if both texts have lengths of one byte. */
  private static int runEnd(byte[] bytes, int from, int end) {
    if (end - from < 3 || bytes[from] != 1 || bytes[from + 1] <= 0) {
      return NONE;
    }
    int incarnation = from + 2 + bytes[from + 1];
    if (incarnation >= end || bytes[incarnation] < 0) {
      return NONE;
    }
    int to = incarnation + 1 + bytes[incarnation];
    return to <= end ? to : NONE;
  }

  private int addRun(byte[] bytes, int from, int to) {
    try {
      WireReader in = new WireReader(bytes, from, to, 0);
      String node = in.getTexts("nodes").get(0);
      int index = run(node, in.getText());
      // Bytes that are not UTF-8 are not written again as they were.
      byte[] own = runs.get(index).bytes;
      return Arrays.equals(own, 0, own.length, bytes, from, to) ? index : NONE;
    } catch (CorruptBlockException e) {
      return NONE;
    }
  }

  /**
   * The names that follow in the payload of a run's block; null if the rows cannot all be unmarked
   * ones of the wanted log.
   */
  @Nullable Names findNames(int run, byte[] bytes, int from, int end) {
    KnownRun of = runs.get(run);
    Names latest = of.latest;
    if (latest != null && isAt(latest, bytes, from, end)) {
      return latest;
    }
    Names found = null;
    for (int i = 0; i < names.size() && found == null; i++) {
      found = isAt(names.get(i), bytes, from, end) ? names.get(i) : null;
    }
    found = found == null ? addNames(bytes, from, end) : found;
    of.latest = found;
    return found;
  }

  private static boolean isAt(Names names, byte[] bytes, int from, int end) {
    int to = from + names.bytes.length;
    return to <= end && Arrays.equals(names.bytes, 0, names.bytes.length, bytes, from, to);
  }

  private @Nullable Names addNames(byte[] bytes, int from, int end) {
    try {
      WireReader in = new WireReader(bytes, from, end, 0);
      int logIndex = in.getTexts("logs").indexOf(log);
      String[] variables = in.getTexts("names").toArray(new String[0]);
      in.getTexts("texts");
      int count = in.getCount("nested values");
      List<Value> nested = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        nested.add(NestedValues.read(in));
      }
      // No change refers to a nested value if all set LONGs.
      boolean unbound = BlockProperties.find(nested, new BlockColumns(0, 0)).unbound();
      if (unbound || logIndex < 0 || logIndex >= ONE_BYTE_CELLS) {
        return null;
      }
      Names added = new Names(Arrays.copyOfRange(bytes, from, in.position()), logIndex, variables);
      if (names.size() == MAX_NAMES) {
        names.clear();
      }
      names.add(added);
      return added;
    } catch (CorruptBlockException e) {
      return null;
    }
  }
}
