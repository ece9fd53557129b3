// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;

/**
 * The selection of traced znodes, and the variable of each: its path without the leading slash.
 * Immutable.
 *
 * @param paths single znodes, such as {@code /r1}
 * @param prefixes paths that end in a slash: all znodes below are traced, {@code /} for all znodes
 */
record TracedZnodes(Set<String> paths, List<String> prefixes) {
  /** ZooKeeper's own subtree, traced only if it is named. */
  private static final String RESERVED_ROOT = "/zookeeper";

  private static final String RESERVED = RESERVED_ROOT + "/";

  TracedZnodes {
    paths = Set.copyOf(paths);
    prefixes = List.copyOf(prefixes);
  }

  /**
   * Parses {@code /r1;/app/}: paths and prefixes, separated by semicolons.
   *
   * @throws IllegalArgumentException if one of them does not start with a slash
   */
  static TracedZnodes parse(String text) {
    Set<String> paths = new LinkedHashSet<>();
    List<String> prefixes = new ArrayList<>();
    for (String path : text.split(";", -1)) {
      if (!path.startsWith("/")) {
        throw new IllegalArgumentException(
            "trace: a znode's path must start with '/': \"" + path + "\"");
      }
      if (path.endsWith("/")) {
        prefixes.add(path);
      } else {
        paths.add(path);
      }
    }
    return new TracedZnodes(paths, prefixes);
  }

  /** Whether a znode is traced. Called for every change, so it does not allocate. */
  boolean contains(String path) {
    for (int i = 0; i < prefixes.size(); i++) {
      if (isBelow(path, prefixes.get(i))) {
        return true;
      }
    }
    return paths.contains(path);
  }

  private static boolean isBelow(String path, String prefix) {
    return path.length() > prefix.length()
        && path.startsWith(prefix)
        && (prefix.startsWith(RESERVED) || !isReserved(path));
  }

  private static boolean isReserved(String path) {
    return path.startsWith(RESERVED) || path.equals(RESERVED_ROOT);
  }

  /** Whether this znode or one below it may be traced. */
  boolean mayHoldBelow(String path) {
    String folder = path + "/";
    return paths.stream().anyMatch(traced -> traced.equals(path) || traced.startsWith(folder))
        || prefixes.stream().anyMatch(prefix -> prefix.startsWith(folder) || isBelow(path, prefix));
  }

  /**
   * Visits the traced znodes of a tree, without walking the subtrees that contain none. Its memory
   * usage depends on the depth of the tree, not on its size.
   */
  void forEachIn(DataTree tree, BiConsumer<String, DataNode> visitor) {
    Deque<Iterator<String>> open = new ArrayDeque<>();
    open.push(List.of("").iterator());
    while (!open.isEmpty()) {
      if (!open.peek().hasNext()) {
        open.pop();
        continue;
      }
      String path = open.peek().next();
      DataNode node = tree.getNode(path);
      if (node == null) {
        continue;
      }
      if (contains(path)) {
        visitor.accept(path, node);
      }
      open.push(
          node.getChildren().stream()
              .map(child -> path + "/" + child)
              .filter(this::mayHoldBelow)
              .iterator());
    }
  }

  /** The variable of a traced znode. */
  static String variable(String path) {
    return path.substring(1);
  }
}
