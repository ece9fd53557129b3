// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.answer.Column;

/** A column of a query's result. Immutable. */
public final class OutputColumn {
  private final Column column;
  private final Type type;

  OutputColumn(String name, boolean automatic, Type type) {
    this.column = new Column(name, automatic);
    this.type = type;
  }

  /** The column as receivers of the result see it. */
  public Column column() {
    return column;
  }

  String name() {
    return column.name();
  }

  /** The type of its values; COLLECTION if it shows a value for every node. */
  Type type() {
    return type;
  }
}
