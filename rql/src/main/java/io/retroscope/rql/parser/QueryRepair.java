// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.CommonToken;
import org.antlr.v4.runtime.Token;

/**
 * The tokens of a query, from which clauses and items with errors are removed so that the others
 * can still be checked. Used by one thread.
 */
/*
 * The keywords that begin clauses are reserved, so they divide a query even around an error. A
 * clause with an error is removed as a whole, because a partial condition would only cause further
 * errors. FROM is kept up to the error, because nothing can be checked without its logs.
 */
final class QueryRepair {
  private final List<Token> tokens;
  private final Set<String> obscured = new HashSet<>();

  /** For each type of keyword, the position from which the text also uses it as a name. */
  private final Map<Integer, Integer> namesFrom = new HashMap<>();

  /** A clause, or an item with the comma after it, as indexes; the second is exclusive. */
  private record Piece(int from, int to) {}

  /** Creates a repair of the tokens of one statement, closed by an end token. */
  QueryRepair(List<Token> tokens) {
    this.tokens = new ArrayList<>(tokens);
  }

  /** The remaining tokens. */
  List<Token> tokens() {
    return tokens;
  }

  /** Whether FROM takes another query, so that a clause may belong to either of them. */
  boolean isNested() {
    for (int i = 1; i < tokens.size(); i++) {
      if (tokens.get(i).getType() == RqlLexer.LPAREN
          && tokens.get(i - 1).getType() == RqlLexer.FROM) {
        return true;
      }
    }
    return false;
  }

  /** The names that the removed parts may have declared. */
  Set<String> obscured() {
    return obscured;
  }

  /**
   * Removes the part with the error of an unexpected token.
   *
   * @param ownPiece whether the part begins with the token. Otherwise it is the part that contains
   *     the token, or the one before if the token begins a clause or is the end.
   * @return false if no query would remain
   */
  boolean remove(Token unexpected, boolean ownPiece) {
    int at = tokens.indexOf(unexpected);
    if (beginsClause(at)
        && !ClauseWords.mayContinue(unexpected.getType(), tokens.get(at + 1).getType())) {
      namesFrom.putIfAbsent(unexpected.getType(), unexpected.getStartIndex());
    }
    if (ownPiece && at > selectIndex() && selectIndex() >= 0) {
      boolean anotherQuery = unexpected.getType() == RqlLexer.SELECT;
      take(new Piece(at, anotherQuery ? tokens.size() - 1 : endOfClause(at)));
      return true;
    }
    return removeAt(beginsClause(at) || unexpected.getType() == Token.EOF ? at - 1 : at);
  }

  /** Removes the part at a place of the text; returns false if no query would remain. */
  boolean remove(SourceRange place) {
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).getStopIndex() >= place.start()) {
        return tokens.get(i).getStartIndex() >= place.end() || removeAt(i);
      }
    }
    return true;
  }

  private boolean removeAt(int at) {
    int select = selectIndex();
    if (select < 0 || at < select) {
      return false;
    }
    int from = startOfClause(at);
    int to = endOfClause(from);
    if (from == select) {
      return removeItem(select, at, to);
    }
    if (tokens.get(from).getType() == RqlLexer.FROM) {
      return cutFrom(new Piece(from, to), at);
    }
    take(new Piece(from, to));
    return true;
  }

  /** Returns the index of SELECT, or -1 if there is none. */
  private int selectIndex() {
    int at = 0;
    while (tokens.get(at).getType() == RqlLexer.EXPLAIN
        || (at == 1 && tokens.get(at).getType() == RqlLexer.ANALYZE)) {
      at++;
    }
    return tokens.get(at).getType() == RqlLexer.SELECT ? at : -1;
  }

  private boolean beginsClause(int at) {
    Token token = tokens.get(at);
    int type = token.getType();
    int before = at == 0 ? Token.INVALID_TYPE : tokens.get(at - 1).getType();
    boolean asName = before == RqlLexer.DOT || before == RqlLexer.AT_SIGN || before == RqlLexer.AS;
    return !asName
        && ClauseWords.isOne(type)
        && (token.getStartIndex() < namesFrom.getOrDefault(type, Integer.MAX_VALUE)
            || ClauseWords.mayContinue(type, tokens.get(at + 1).getType()));
  }

  private int startOfClause(int at) {
    int from = at;
    while (!beginsClause(from)) {
      from--;
    }
    return from;
  }

  private int endOfClause(int at) {
    int to = at + 1;
    while (tokens.get(to).getType() != Token.EOF && !beginsClause(to)) {
      to++;
    }
    return to;
  }

  /** Keeps the names before the error; returns false if there are none. */
  private boolean cutFrom(Piece from, int at) {
    int end = Math.max(at, from.from() + 1);
    while (tokens.get(end - 1).getType() == RqlLexer.COMMA) {
      end--;
    }
    take(new Piece(end, from.to()));
    return end > from.from() + 1;
  }

  /** Removes one item, or replaces the only item with NULL. */
  private boolean removeItem(int select, int at, int end) {
    if (tokens.get(end).getType() != RqlLexer.FROM) {
      return false;
    }
    int first = select + 1;
    if (tokens.get(first).getType() == RqlLexer.STREAM) {
      first++;
    }
    Piece item = itemAt(first, Math.max(at, first), end);
    boolean only = item.from() == first && item.to() == end;
    boolean last = item.to() == end && !only;
    take(last ? new Piece(item.from() - 1, end) : item);
    if (only) {
      CommonToken nothing = new CommonToken(RqlLexer.NULL, "NULL");
      nothing.setStartIndex(tokens.get(select).getStartIndex());
      nothing.setStopIndex(tokens.get(select).getStopIndex());
      tokens.add(first, nothing);
    }
    return true;
  }

  private Piece itemAt(int first, int at, int end) {
    int from = first;
    int depth = 0;
    for (int i = first; i < end; i++) {
      int type = tokens.get(i).getType();
      if (type == RqlLexer.LPAREN || type == RqlLexer.LBRACE) {
        depth++;
      } else if (type == RqlLexer.RPAREN || type == RqlLexer.RBRACE) {
        depth = Math.max(0, depth - 1);
      } else if (type == RqlLexer.COMMA && depth == 0) {
        if (i >= at && i < end - 1) {
          return new Piece(from, i + 1);
        }
        from = i + 1;
      }
    }
    return new Piece(from, end);
  }

  private void take(Piece piece) {
    List<Token> taken = tokens.subList(piece.from(), piece.to());
    int type = taken.isEmpty() ? Token.INVALID_TYPE : taken.get(0).getType();
    if (type == RqlLexer.COMPUTE || type == RqlLexer.FOR) {
      for (Token token : taken) {
        name(token).ifPresent(obscured::add);
      }
    }
    taken.clear();
  }

  private static Optional<String> name(Token token) {
    String text = token.getText();
    if (token.getType() == RqlLexer.QUOTED_IDENTIFIER) {
      return Optional.of(text.substring(1, text.length() - 1).replace("``", "`"));
    }
    return Character.isLetter(text.charAt(0)) || text.charAt(0) == '_'
        ? Optional.of(text)
        : Optional.empty();
  }
}
