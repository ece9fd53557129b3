// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The checks of node names in one query. */
final class NodeNames {
  private static final Pattern BARE = Pattern.compile("[\\p{L}_$][\\p{L}\\p{Nd}_$]*|[0-9]+");

  private final Set<String> known;
  private final Set<String> listed;
  private final boolean mayAppearLater;
  private final Problems problems;

  /**
   * Creates the checks of one query.
   *
   * @param listed the nodes of AT NODES, empty if all are included
   * @param mayAppearLater whether an unknown node is accepted
   */
  NodeNames(Set<String> known, Set<String> listed, boolean mayAppearLater, Problems problems) {
    this.known = known;
    this.listed = listed;
    this.mayAppearLater = mayAppearLater;
    this.problems = problems;
  }

  /** Names that are meant to range over the nodes, as in the examples of the documentation. */
  private static final Set<String> LOOP_NAMES = Set.of("n", "m", "node");

  /** Returns one of the nodes, as written after {@code @}; an invented one if there are none. */
  static String example(Set<String> known, Set<String> listed) {
    Set<String> wanted = new HashSet<>(known);
    if (listed.stream().anyMatch(known::contains)) {
      wanted.retainAll(listed);
    }
    String name =
        wanted.stream()
            .min(
                Comparator.comparing((String node) -> !BARE.matcher(node).matches())
                    .thenComparing(NaturalOrder.INSTANCE))
            .orElse("zk1");
    return written(name);
  }

  /** Returns a name as an identifier, in backquotes if it needs them. */
  static String written(String name) {
    return BARE.matcher(name).matches() ? name : '`' + name.replace("`", "``") + '`';
  }

  /** Checks a node after {@code @}. */
  void check(NodeReference.Named node) {
    String name = node.name().text();
    if (!listed.isEmpty() && !listed.contains(name)) {
      problems.add(
          ErrorCode.NODE_NOT_LISTED.at(node.range(), name),
          () ->
              "AT NODES keeps "
                  + String.join(", ", listed.stream().sorted(NaturalOrder.INSTANCE).toList()));
    } else {
      checkKnown(node.name());
    }
  }

  /** Checks a node in any place. */
  void checkKnown(Identifier node) {
    if (!known.contains(node.text()) && !known.isEmpty() && !mayAppearLater) {
      problems.add(ErrorCode.UNKNOWN_NODE.at(node.range(), node.text()), () -> helpFor(node));
    }
  }

  /**
   * Suggests quotes, because a dash or a dot ends an unquoted name and host names often contain
   * both.
   */
  private String helpFor(Identifier node) {
    String text = problems.text();
    int end = node.range().end();
    while (end < text.length() && isPartOfHostName(text.charAt(end))) {
      end++;
    }
    String whole = text.substring(node.range().start(), end);
    boolean longer = !node.quoted() && whole.length() > node.text().length();
    if (longer && (known.contains(whole) || !whole.endsWith("."))) {
      return "a node's name with characters other than letters, digits and _ must be quoted: `"
          + whole
          + "`";
    }
    if (LOOP_NAMES.contains(node.text())) {
      return "bind it: COUNT %1$s IN NODES : (... @%1$s ...) >= 1, or write a node: "
              .formatted(node.text())
          + String.join(", ", known.stream().sorted(NaturalOrder.INSTANCE).limit(5).toList());
    }
    return Suggestions.help(node.text(), known, "Nodes");
  }

  private static boolean isPartOfHostName(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '.' || c == ':';
  }
}
