// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.parser.generated.RqlParser;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.antlr.v4.runtime.ParserRuleContext;
import org.junit.jupiter.api.Test;

/** Names the alternatives of the grammar that no builder of the syntax tree handles. */
class AlternativesTest {
  private static final List<Class<?>> BUILDERS =
      List.of(
          AstBuilder.class,
          ClauseBuilder.class,
          ExpressionBuilder.class,
          PlayBuilder.class,
          RowClauseBuilder.class,
          TimePointBuilder.class);

  /** Alternatives that the reader of their rule distinguishes by type. */
  private static final Set<String> READ_BY_TYPE =
      Set.of(
          "AllItems",
          "Claim",
          "NeverAnyRow",
          "Detection",
          "ListedItems",
          "LogSource",
          "RowSource",
          "OperatorTail",
          "NullTail",
          "FieldSuffix",
          "NodeSuffix",
          "NamedNode",
          "ComputedNode");

  @Test
  void labelledAlternatives_haveAMethodInABuilder() {
    Set<String> built = new TreeSet<>(READ_BY_TYPE);
    for (Class<?> builder : BUILDERS) {
      Stream.of(builder.getDeclaredMethods())
          .map(Method::getName)
          .filter(name -> name.startsWith("visit"))
          .forEach(name -> built.add(name.substring("visit".length())));
    }
    assertThat(labelledAlternatives())
        .as("alternatives of Rql.g4 from which a builder makes a part of the syntax tree")
        .contains("KillQuery", "NowPoint", "SetLiteral")
        .isSubsetOf(built);
    assertThat(labelledAlternatives()).containsAll(READ_BY_TYPE);
  }

  /** Returns the labels, each of which has a context that extends that of its rule. */
  private static Set<String> labelledAlternatives() {
    Set<String> labels = new TreeSet<>();
    for (Class<?> context : RqlParser.class.getDeclaredClasses()) {
      Class<?> rule = context.getSuperclass();
      if (rule != ParserRuleContext.class && ParserRuleContext.class.isAssignableFrom(context)) {
        labels.add(context.getSimpleName().replaceFirst("Context$", ""));
      }
    }
    return labels;
  }
}
