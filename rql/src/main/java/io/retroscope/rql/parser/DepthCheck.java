// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.ast.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A check of the depth of expressions without recursion. */
final class DepthCheck {
  private DepthCheck() {}

  private record Level(Expression expression, int depth) {}

  /** Returns the first expression whose depth within its tree exceeds the limit. */
  static Optional<Expression> firstBelow(Statement statement, int maxDepth) {
    Deque<Level> open = new ArrayDeque<>();
    statement.expressions().forEach(root -> open.push(new Level(root, 1)));
    if (statement instanceof Statement.Selection selection) {
      selection
          .walk()
          .play()
          .map(Play::ofCuts)
          .orElse(List.of())
          .forEach(e -> open.push(new Level(e, 1)));
    }
    while (!open.isEmpty()) {
      Level level = open.pop();
      if (level.depth() > maxDepth) {
        return Optional.of(level.expression());
      }
      for (Expression child : level.expression().children()) {
        open.push(new Level(child, level.depth() + 1));
      }
    }
    return Optional.empty();
  }
}
