// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.ast.Statement;
import java.util.List;

/** Texts of one valid statement. */
public final class OneStatement {
  private OneStatement() {}

  /**
   * Returns the statement that a text consists of.
   *
   * @throws io.retroscope.rql.diagnostic.RqlException if it has errors
   */
  public static Statement of(String text) {
    List<Statement> statements = new RqlParser().parseScript(text);
    assertThat(statements).as(text).hasSize(1);
    return statements.get(0);
  }
}
