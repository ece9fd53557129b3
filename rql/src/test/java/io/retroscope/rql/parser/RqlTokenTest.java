// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.parser.RqlToken.Kind;
import org.junit.jupiter.api.Test;

class RqlTokenTest {
  @Test
  void of_statement_namesEveryPiece() {
    assertThat(RqlToken.of("select r1, `a b` -- all\nFROM setd WHEN r1@zk1 >= 2ms OR 'x;' ;"))
        .extracting(token -> token.kind() + " " + token.text())
        .containsExactly(
            "KEYWORD select",
            "NAME r1",
            "SYMBOL ,",
            "QUOTED_NAME `a b`",
            "COMMENT -- all",
            "KEYWORD FROM",
            "NAME setd",
            "KEYWORD WHEN",
            "NAME r1",
            "SYMBOL @",
            "NAME zk1",
            "SYMBOL >=",
            "NUMBER 2ms",
            "KEYWORD OR",
            "STRING 'x;'",
            "SEMICOLON ;");
  }

  @Test
  void of_unfinishedText_reportsTheOpenPart() {
    assertThat(last("SELECT 'a;\nb")).isEqualTo(new Piece(Kind.UNTERMINATED, "'a;\nb"));
    assertThat(last("SELECT `a;")).isEqualTo(new Piece(Kind.UNTERMINATED, "`a;"));
    assertThat(last("SELECT /* a; 'b' `")).isEqualTo(new Piece(Kind.UNTERMINATED, "/* a; 'b' `"));
  }

  @Test
  void of_rangeOfEachPiece_countsCharactersOfTheString() {
    RqlToken last = lastToken("'\uD83D\uDE00' = r1");

    assertThat(last.range().start()).isEqualTo(7);
    assertThat(last.range().end()).isEqualTo(9);
  }

  @Test
  void reservedWords_areNoSignsAndNoWordsThatAreNames() {
    assertThat(RqlToken.reservedWords())
        .contains("SELECT", "ISPROPSUBSET", "NODES", "GLOBAL")
        .doesNotContain(";", "IDENTIFIER", "COUNT", "SKIP", "LEVEL")
        .isSorted();
  }

  private record Piece(Kind kind, String text) {}

  private static Piece last(String text) {
    RqlToken token = lastToken(text);
    return new Piece(token.kind(), token.text());
  }

  private static RqlToken lastToken(String text) {
    var tokens = RqlToken.of(text);
    return tokens.get(tokens.size() - 1);
  }
}
