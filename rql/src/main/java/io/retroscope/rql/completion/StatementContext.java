// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.completion;

import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The context that the beginning of a statement provides for completion. It depends only on the
 * words that begin clauses and on parentheses, so that completion still works after an error
 * further left.
 */
final class StatementContext {
  private static final Set<String> CLAUSES =
      Stream.concat(
              RqlToken.clauseWords().stream(),
              Stream.of("EXPLAIN", "SHOW", "DESCRIBE", "FORGET", "KILL", "SELECT", "THEN", "AFTER"))
          .collect(Collectors.toUnmodifiableSet());
  private static final Set<String> QUANTIFIERS =
      Set.of("EXISTS", "FORALL", "COUNT", "FILTER", "FOREACH");
  private static final Set<String> ELEMENTS = Set.of("NODE", "VALUE");
  private static final Set<String> DECLARATIONS = Set.of("VAR", "GLOBAL", "OUT", "VARIABLE");

  private final List<RqlToken> tokens;
  private final Set<String> begun = new LinkedHashSet<>();
  private final Set<String> bound = new LinkedHashSet<>();
  private final List<String> logs = new ArrayList<>();
  private String clause = "";
  private int depth;
  private boolean bindsHere;

  private StatementContext(List<RqlToken> tokens) {
    this.tokens = tokens;
    for (int i = 0; i < tokens.size(); i++) {
      read(i);
    }
  }

  /** Returns the context after these tokens; only their last statement counts. */
  static StatementContext of(List<RqlToken> all) {
    List<RqlToken> since = new ArrayList<>();
    for (RqlToken token : all) {
      if (token.kind() == Kind.SEMICOLON) {
        since.clear();
      } else if (token.kind() != Kind.COMMENT) {
        since.add(token);
      }
    }
    return new StatementContext(since);
  }

  private void read(int i) {
    RqlToken token = tokens.get(i);
    String word = word(i);
    boolean keyword = token.kind() == Kind.KEYWORD && !isMark(word(i - 1));
    if (word.equals("(") || word.equals("{")) {
      depth++;
    } else if (word.equals(")") || word.equals("}")) {
      depth--;
    } else if (keyword && depth == 0 && CLAUSES.contains(word)) {
      clause = word;
      begun.add(word.equals("ON") || word.equals("FOR") ? word + " " + word(i + 1) : word);
    }
    readNames(token, word, keyword);
  }

  /** Returns whether every word after this one is a name. */
  private static boolean isMark(String word) {
    return word.equals("@") || word.equals(".") || word.equals("AS");
  }

  private void readNames(RqlToken token, String word, boolean keyword) {
    boolean isName = token.kind() == Kind.NAME || token.kind() == Kind.QUOTED_NAME;
    boolean each =
        (word.equals("EACH") && clause.equals("PLAY"))
            || (ELEMENTS.contains(word) && clause.equals("FOR"));
    if (keyword && (each || QUANTIFIERS.contains(word) || DECLARATIONS.contains(word))) {
      bindsHere = true;
    } else if (bindsHere && isName) {
      bound.add(token.text());
    } else if (!word.equals(",")) {
      bindsHere = false;
    }
    if (isName && clause.equals("FROM")) {
      logs.add(unquoted(token.text()));
    }
  }

  private static String unquoted(String name) {
    return name.startsWith("`") ? name.substring(1, name.length() - 1).replace("``", "`") : name;
  }

  private String word(int index) {
    return index < 0 || index >= tokens.size()
        ? ""
        : tokens.get(index).text().toUpperCase(Locale.ROOT);
  }

  boolean isEmpty() {
    return tokens.isEmpty();
  }

  /** Returns the last word or symbol in capitals; empty at the start. */
  String previous() {
    return previous(1);
  }

  /** Returns a word or symbol counted from the end, in capitals; empty before the start. */
  String previous(int back) {
    return word(tokens.size() - back);
  }

  /** Returns the name before the last symbol without quotes: {@code setd} of {@code setd.} */
  String nameBeforeSign() {
    return tokens.size() < 2 ? "" : unquoted(tokens.get(tokens.size() - 2).text());
  }

  /** The word that began the last clause, in capitals; empty if none has begun. */
  String clause() {
    return clause;
  }

  /** Returns whether a clause has begun: {@code ON} and {@code FOR} with the word after them. */
  boolean hasBegun(String wordOrWords) {
    return begun.contains(wordOrWords);
  }

  /** Whether a parenthesis or a brace is open. */
  boolean isNested() {
    return depth > 0;
  }

  /**
   * Returns whether a new name is expected: after {@code EXISTS}, {@code VAR}, {@code AS} and
   * similar words.
   */
  boolean wantsNewName() {
    return previous().equals("AS")
        || (bindsHere && (!endsOperand() || QUANTIFIERS.contains(previous())));
  }

  /** Returns whether the word {@code AS} of a sound precedes. */
  boolean isSoundPart() {
    return clause.equals("PLAY") && previous().equals("AS");
  }

  /** Returns whether the names of a quantifier are complete, so that {@code IN} is expected. */
  boolean endsBoundNames() {
    return bindsHere && endsOperand() && !clause.equals("FOR") && !declares();
  }

  private boolean declares() {
    return DECLARATIONS.contains(previous(2));
  }

  /**
   * Returns whether an expression or a name is complete, so that an operator or a clause may
   * follow.
   */
  boolean endsOperand() {
    if (tokens.isEmpty()) {
      return false;
    }
    RqlToken last = tokens.get(tokens.size() - 1);
    String word = previous();
    return switch (last.kind()) {
      case NAME, QUOTED_NAME, STRING, NUMBER -> true;
      case SYMBOL -> Set.of(")", "}", "*").contains(word);
      case KEYWORD ->
          isMark(previous(2)) || Set.of("NODES", "TRUE", "FALSE", "NULL").contains(word);
      case COMMENT, SEMICOLON, UNTERMINATED -> false;
    };
  }

  /** The names that quantifiers and declarations have bound so far, as written. */
  Set<String> boundNames() {
    return bound;
  }

  /** The logs after {@code FROM}, in any statement. */
  List<String> logs() {
    return logs;
  }
}
