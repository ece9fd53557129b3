// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.parser.generated.RqlParser;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.TokenStream;

/** A parser that stops before deep nesting exhausts the stack. */
final class NestingGuard extends RqlParser {
  private final int maxNesting;
  private int nesting;

  NestingGuard(TokenStream tokens, int maxNesting) {
    super(tokens);
    this.maxNesting = maxNesting;
  }

  @Override
  public void enterRule(ParserRuleContext context, int state, int ruleIndex) {
    if (nests(ruleIndex) && ++nesting > maxNesting) {
      throw new NestingLimitException(getCurrentToken());
    }
    super.enterRule(context, state, ruleIndex);
  }

  @Override
  public void exitRule() {
    if (nests(getContext().getRuleIndex())) {
      nesting--;
    }
    super.exitRule();
  }

  @Override
  public void reset() {
    super.reset();
    nesting = 0;
  }

  /**
   * Returns whether a rule counts as a level. Every recursion of the grammar passes through one of
   * these rules.
   */
  private static boolean nests(int ruleIndex) {
    return switch (ruleIndex) {
      case RULE_query,
          RULE_expression,
          RULE_assigned,
          RULE_logicalNot,
          RULE_minus,
          RULE_quantification ->
          true;
      default -> false;
    };
  }
}
