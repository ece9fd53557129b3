// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.parser.ParseLimits;
import io.retroscope.rql.parser.ParsedStatement;
import org.junit.jupiter.api.Test;

class ReadStatementsTest {
  private final ReadStatements statements = new ReadStatements(ParseLimits.DEFAULT);

  private static String text(int number) {
    return "SELECT x FROM t WHEN x > " + number;
  }

  @Test
  void of_theSameText_isParsedOnce() {
    ParsedStatement first = statements.of(text(1));
    assertThat(first.query()).isPresent();
    assertThat(statements.of(text(1))).isSameAs(first);
    assertThat(statements.of(text(2)).text()).isEqualTo(text(2));
  }

  @Test
  void of_aFaultyText_hasItsProblemsEachTime() {
    assertThat(statements.of("SELECT FROM").problems()).isNotEmpty();
    assertThat(statements.of("SELECT FROM").problems()).isNotEmpty();
  }

  @Test
  void of_manyTexts_remembersThoseAskedForLately() {
    ParsedStatement asked = statements.of(text(0));
    ParsedStatement notAsked = statements.of(text(1));
    for (int i = 2; i <= ReadStatements.MAX_TEXTS; i++) {
      ParsedStatement unused = statements.of(text(i));
      assertThat(statements.of(text(0))).isSameAs(asked);
    }
    assertThat(statements.of(text(1))).isNotSameAs(notAsked).isEqualTo(notAsked);
  }

  @Test
  void of_aLongText_isNotRemembered() {
    String text = text(1) + " ".repeat(ReadStatements.LONG_CHARACTERS);
    assertThat(statements.of(text)).isNotSameAs(statements.of(text));
  }
}
