// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.parser.generated.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.antlr.v4.runtime.BailErrorStrategy;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.RuleContext;
import org.antlr.v4.runtime.atn.ATNState;
import org.antlr.v4.runtime.atn.Transition;
import org.antlr.v4.runtime.misc.ParseCancellationException;
import org.antlr.v4.runtime.tree.ParseTree;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.junit.jupiter.api.Test;

/** Measures the parts of the grammar that the golden queries reach, and fails on a gap. */
class GrammarCoverageTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");
  private static final Pattern CASE = Pattern.compile("(?ms)^case .*?$\n(.*?)\n^----$");

  /** Lists of words, each of which may be a name. */
  private static final Set<Integer> WORD_LISTS =
      Set.of(RqlParser.RULE_plainName, RqlParser.RULE_reserved, RqlParser.RULE_name);

  @Test
  void goldenQueries_reachEveryTokenOfEveryRule() throws IOException {
    Set<String> reached = new TreeSet<>();
    for (String query : queries()) {
      trees(query).forEach(tree -> collectTokens(tree, reached));
    }
    Set<String> missing = new TreeSet<>(tokensOfGrammar());
    missing.removeAll(reached);
    assertThat(missing).as("rule and token that no golden query holds").isEmpty();
  }

  @Test
  void goldenQueries_reachEveryLabelledAlternative() throws IOException {
    Set<String> reached = new TreeSet<>();
    for (String query : queries()) {
      trees(query).forEach(tree -> collectAlternatives(tree, reached));
    }
    Set<String> missing = new TreeSet<>(alternativesOfGrammar());
    missing.removeAll(reached);
    assertThat(missing).as("alternative that no golden query takes").isEmpty();
  }

  private static List<String> queries() throws IOException {
    try (Stream<Path> files = Files.list(GOLDEN)) {
      return files
          .filter(file -> file.toString().endsWith(".rqltest"))
          .flatMap(GrammarCoverageTest::queries)
          .toList();
    }
  }

  private static Stream<String> queries(Path file) {
    try {
      return CASE.matcher(Files.readString(file)).results().map(match -> match.group(1));
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  /** Returns the parse trees of a text's valid statements. */
  private static Stream<ParserRuleContext> trees(String query) {
    return SourceTokens.of(query).statements().stream()
        .filter(part -> !part.isEmpty())
        .flatMap(part -> tree(part).stream());
  }

  private static List<ParserRuleContext> tree(SourceTokens.Part part) {
    RqlParser parser =
        new NestingGuard(
            new CommonTokenStream(new ListTokenSource(part.tokens())),
            ParseLimits.DEFAULT.maxNesting());
    parser.removeErrorListeners();
    parser.setErrorHandler(new BailErrorStrategy());
    try {
      return List.of(parser.singleStatement());
    } catch (ParseCancellationException e) {
      return List.of();
    }
  }

  private static void collectTokens(ParseTree tree, Set<String> reached) {
    if (tree instanceof TerminalNode terminal) {
      int rule = ((RuleContext) terminal.getParent()).getRuleIndex();
      reached.add(token(rule, terminal.getSymbol().getType()));
    }
    for (int i = 0; i < tree.getChildCount(); i++) {
      collectTokens(tree.getChild(i), reached);
    }
  }

  private static void collectAlternatives(ParseTree tree, Set<String> reached) {
    reached.add(tree.getClass().getSimpleName());
    for (int i = 0; i < tree.getChildCount(); i++) {
      collectAlternatives(tree.getChild(i), reached);
    }
  }

  private static Set<String> tokensOfGrammar() {
    Set<String> tokens = new TreeSet<>();
    for (ATNState state : RqlParser._ATN.states) {
      for (Transition transition : state.getTransitions()) {
        if (transition.label() != null && !WORD_LISTS.contains(state.ruleIndex)) {
          transition.label().toList().forEach(type -> tokens.add(token(state.ruleIndex, type)));
        }
      }
    }
    return tokens;
  }

  private static String token(int rule, int type) {
    return RqlParser.ruleNames[rule] + ": " + RqlParser.VOCABULARY.getDisplayName(type);
  }

  /** Returns the context classes without a more specific one. */
  private static Set<String> alternativesOfGrammar() {
    List<Class<?>> contexts =
        Stream.of(RqlParser.class.getDeclaredClasses())
            .filter(ParserRuleContext.class::isAssignableFrom)
            .<Class<?>>map(type -> type)
            .toList();
    Set<String> leaves = new TreeSet<>();
    contexts.forEach(context -> leaves.add(context.getSimpleName()));
    contexts.forEach(context -> leaves.remove(context.getSuperclass().getSimpleName()));
    return leaves;
  }
}
