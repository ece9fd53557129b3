// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.parser.generated.RqlBaseVisitor;
import org.antlr.v4.runtime.tree.RuleNode;

/**
 * A visitor without a default: an alternative that has no method of its own is an error, not a
 * result without content. The compiler cannot find such an alternative, because the generated
 * visitor has one method for every rule of the grammar; {@code AlternativesTest} does.
 *
 * @param <T> the type of the result
 */
abstract class AlternativeVisitor<T> extends RqlBaseVisitor<T> {
  @Override
  public final T visitChildren(RuleNode node) {
    throw new AssertionError("nothing is built from " + node.getClass().getSimpleName());
  }
}
