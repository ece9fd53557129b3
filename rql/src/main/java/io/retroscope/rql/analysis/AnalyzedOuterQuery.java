// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import java.util.List;

/**
 * A query over the rows of another one, which can be evaluated without further name lookups.
 *
 * <p>Its expressions are evaluated over slots: first the {@link #input} columns, then the values of
 * {@link #groupKeys}, then those of {@link #aggregates}, then bound names.
 *
 * @param query as parsed
 * @param inner the query in parentheses
 * @param input the columns of the inner rows; the index is the slot
 * @param resolution the meaning of the names in its own clauses
 * @param items its columns, {@code *} expanded
 * @param isGrouped whether its rows are groups: with GROUP BY, or with an aggregate, which makes
 *     one group of all rows
 * @param groupKeys the expressions of GROUP BY
 * @param aggregates the aggregates over the rows of a group
 * @param sortKeys the expressions of ORDER BY, positions and names of items replaced by the items
 * @param boundSlots the maximum number of names that are bound at once
 */
public record AnalyzedOuterQuery(
    Statement.OuterQuery query,
    AnalyzedSelection inner,
    List<OutputColumn> input,
    Resolution resolution,
    List<Item> items,
    boolean isGrouped,
    List<Expression> groupKeys,
    List<Expression.Call> aggregates,
    List<Expression> sortKeys,
    int boundSlots)
    implements AnalyzedSelection {
  /** Copies the collections. */
  public AnalyzedOuterQuery {
    input = List.copyOf(input);
    items = List.copyOf(items);
    groupKeys = List.copyOf(groupKeys);
    aggregates = List.copyOf(aggregates);
    sortKeys = List.copyOf(sortKeys);
  }

  /** A column that the query selects. */
  public record Item(OutputColumn column, Expression expression) {}

  /** The number of slots before those of bound names. */
  public int valueSlots() {
    return input.size() + groupKeys.size() + aggregates.size();
  }

  /** Whether its rows show an inner column as it is. */
  public boolean shows(int slot) {
    return !isGrouped
        && items.stream()
            .flatMap(item -> resolution.rowColumn(item.expression()).stream())
            .anyMatch(column -> column.slot() == slot);
  }

  @Override
  public List<OutputColumn> columns() {
    return items.stream().map(Item::column).toList();
  }

  @Override
  public AnalyzedQuery walk() {
    return inner.walk();
  }
}
