// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.List;
import java.util.Optional;

/** The columns of an inner query as the names of an outer one. */
final class InnerColumns implements ExpressionAnalysis.Whole {
  private final Statement.OuterQuery query;
  private final List<OutputColumn> columns;
  private final Names names;
  private final Resolution resolution;
  private final Problems problems;

  InnerColumns(
      Statement.OuterQuery query,
      List<OutputColumn> columns,
      Names names,
      Resolution resolution,
      Problems problems) {
    this.query = query;
    this.columns = columns;
    this.names = names;
    this.resolution = resolution;
    this.problems = problems;
  }

  /** Resolves a column that needs one value. */
  @Override
  public Optional<Type> type(Expression expression) {
    Optional<Identifier> name = columnName(expression);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    Optional<OutputColumn> column = find(name.get().text());
    if (column.isEmpty()) {
      problems.add(
          ErrorCode.UNKNOWN_COLUMN.at(name.get().range(), name.get().text()),
          () -> helpFor(name.get().text()));
      return Optional.of(Type.FAULTY);
    }
    Type type = column.get().type();
    if (type == Type.COLLECTION) {
      problems.add(
          ErrorCode.COLLECTION_AS_VALUE
              .at(expression.range(), '"' + column.get().name() + '"')
              .withHelp(
                  "make one value of it inside the parentheses: MAX(%1$s) AS x, or %1$s@%2$s AS x"
                      .formatted(column.get().name(), problems.someNode())));
      return Optional.of(Type.FAULTY);
    }
    put(expression, column.get());
    return Optional.of(type);
  }

  private String helpFor(String name) {
    if (AutomaticColumns.OF_INTERVAL.contains(name)) {
      return "it is a column of EMIT INTERVALS, which belongs inside the parentheses";
    }
    List<String> known = columns.stream().map(OutputColumn::name).toList();
    return Suggestions.help(name, known, "Columns here");
  }

  /** Whether an expression is a name that a quantifier binds. */
  boolean isBound(Expression expression) {
    return expression instanceof Expression.Name name
        && names.boundAs(name.identifier().text()).isPresent();
  }

  /** Whether the analysis is within a quantifier. */
  boolean areNamesBound() {
    return names.boundCount() > 0;
  }

  /** Whether a name is one of the columns. */
  boolean has(Expression.Name name) {
    return find(name.identifier().text()).isPresent();
  }

  /** Resolves an expression that is a column as it is; empty for any other expression. */
  Optional<OutputColumn> same(Expression expression) {
    Optional<OutputColumn> column = columnName(expression).flatMap(name -> find(name.text()));
    column.ifPresent(found -> put(expression, found));
    return column;
  }

  /** Returns a resolved name of a column. */
  Expression name(OutputColumn column) {
    Expression name =
        new Expression.Name(new Identifier(column.name(), true, query.range()), query.range());
    put(name, column);
    return name;
  }

  private void put(Expression expression, OutputColumn column) {
    resolution.put(expression, new Reference.RowColumn(column.name(), columns.indexOf(column)));
  }

  private Optional<OutputColumn> find(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** Returns the name of the column that {@code x} or {@code alias.x} means. */
  private Optional<Identifier> columnName(Expression expression) {
    if (expression instanceof Expression.Name name) {
      return isBound(name) ? Optional.empty() : Optional.of(name.identifier());
    }
    boolean ofAlias =
        expression instanceof Expression.Field field
            && field.target() instanceof Expression.Name target
            && names.boundAs(target.identifier().text()).isEmpty()
            && find(target.identifier().text()).isEmpty()
            && query
                .alias()
                .map(alias -> alias.text().equals(target.identifier().text()))
                .orElse(false);
    return ofAlias ? Optional.of(((Expression.Field) expression).field()) : Optional.empty();
  }
}
