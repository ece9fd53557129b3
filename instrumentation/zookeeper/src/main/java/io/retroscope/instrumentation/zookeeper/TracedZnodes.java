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
 * Which znodes are traced, and the variable that each becomes: its path without the leading slash.
 * Immutable.
 *
 * @param paths single znodes, such as {@code /r1}
 * @param prefixes paths that end in a slash: all znodes below are traced, {@code /} for all there
 *     are
 */
record TracedZnodes(Set<String> paths, List<String> prefixes) {
  /** ZooKeeper's own subtree, traced only where it is named. */
  private static final String RESERVED_ROOT = "/zookeeper";

  private static final String RESERVED = RESERVED_ROOT + "/";

  TracedZnodes {
    paths = Set.copyOf(paths);
    prefixes = List.copyOf(prefixes);
  }

  /**
   * Reads {@code /r1;/app/}: paths and prefixes, separated by semicolons.
   *
   * @throws IllegalArgumentException if one of them does not begin with a slash
   */
  static TracedZnodes parse(String text) {
    Set<String> paths = new LinkedHashSet<>();
    List<String> prefixes = new ArrayList<>();
    for (String path : text.split(";", -1)) {
      if (!path.startsWith("/")) {
        throw new IllegalArgumentException(
            "trace: a znode's path begins with '/': \"" + path + "\"");
      }
      if (path.endsWith("/")) {
        prefixes.add(path);
      } else {
        paths.add(path);
      }
    }
    return new TracedZnodes(paths, prefixes);
  }

  /** Asked of every change, so it allocates nothing. */
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
   * Visits the traced znodes of a tree, without walking the subtrees that hold none. Takes memory
   * for the depth of the tree, not for its size.
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
