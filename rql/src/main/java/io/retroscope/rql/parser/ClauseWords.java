// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser;
import java.util.List;
import java.util.stream.Stream;
import org.antlr.v4.runtime.misc.IntervalSet;

/**
 * The keywords at the start of clauses, as the grammar has them. They are reserved, so they divide
 * a query even around a syntax error. Users nevertheless try to use them as names.
 */
final class ClauseWords {
  /** The words that begin a query, its source and its clauses. */
  private static final IntervalSet STARTS = clauseStarts();

  /** FROM and the clauses, in the order of the reference. */
  static final List<String> CLAUSES =
      STARTS.subtract(IntervalSet.of(RqlLexer.SELECT)).toList().stream()
          .map(RqlToken::word)
          .toList();

  /** AS is included for spelling suggestions. */
  static final List<String> ALL = Stream.concat(CLAUSES.stream(), Stream.of("AS")).toList();

  static final IntervalSet EXPRESSION_STARTS = starts(RqlParser.RULE_expression);
  private static final IntervalSet NAME_STARTS = starts(RqlParser.RULE_name);

  private ClauseWords() {}

  /** THEN and AFTER belong to WHEN. */
  private static IntervalSet clauseStarts() {
    IntervalSet clauses = starts(RqlParser.RULE_clause).subtract(starts(RqlParser.RULE_response));
    clauses.add(RqlLexer.SELECT);
    clauses.add(RqlLexer.FROM);
    return clauses;
  }

  private static IntervalSet starts(int rule) {
    return RqlParser._ATN.nextTokens(RqlParser._ATN.ruleToStartState[rule]);
  }

  /** Returns whether a clause, or a query, begins with a token of this type. */
  static boolean isOne(int type) {
    return STARTS.contains(type);
  }

  /**
   * Returns whether a clause that begins with this word may continue with the next token. If not,
   * the word was meant as a name.
   */
  static boolean mayContinue(int word, int next) {
    return switch (word) {
      case RqlLexer.SELECT ->
          next == RqlLexer.STAR || next == RqlLexer.STREAM || EXPRESSION_STARTS.contains(next);
      case RqlLexer.COMPUTE, RqlLexer.WHEN -> EXPRESSION_STARTS.contains(next);
      case RqlLexer.FROM, RqlLexer.AS -> NAME_STARTS.contains(next);
      case RqlLexer.FOR -> next == RqlLexer.EACH || next == RqlLexer.DURATION;
      case RqlLexer.AT ->
          next == RqlLexer.NODES || next == RqlLexer.ALL_NODES || next == RqlLexer.LIVE;
      case RqlLexer.ON -> next == RqlLexer.TIME || next == RqlLexer.ERROR;
      case RqlLexer.EMIT ->
          next == RqlLexer.CUTS || next == RqlLexer.INTERVALS || next == RqlLexer.EDGES;
      case RqlLexer.LIMIT -> next == RqlLexer.INTEGER;
      case RqlLexer.PLAY -> next == RqlLexer.STRING || NAME_STARTS.contains(next);
      default -> true;
    };
  }
}
