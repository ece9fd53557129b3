// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.analysis.AnalyzedOuterQuery.Item;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The analysis of one query over the rows of another one, which is analyzed already. */
final class OuterAnalysis {
  private final Statement.OuterQuery query;
  private final AnalyzedSelection inner;
  private final List<OutputColumn> input;
  private final AnalysisLimits limits;
  private final Problems problems;
  private final Names names;
  private final Resolution resolution = new Resolution();
  private final Operands operands;
  private final InnerColumns columns;
  private final ExpressionAnalysis ofRows;
  private final ExpressionAnalysis beforeGroups;

  OuterAnalysis(
      AnalysisLimits limits,
      Catalog catalog,
      String text,
      Statement.OuterQuery query,
      AnalyzedSelection inner) {
    this.query = query;
    this.inner = inner;
    this.input = inner.columns();
    this.limits = limits;
    this.problems = new Problems(text, NodeNames.example(catalog.nodeNames(), Set.of()));
    this.operands = new Operands(problems);
    this.names = new Names(problems);
    this.columns = new InnerColumns(query, input, names, resolution, problems);
    this.ofRows = analysis(columns);
    this.beforeGroups = analysis(e -> refusedAggregate(e).or(() -> columns.type(e)));
  }

  private ExpressionAnalysis analysis(ExpressionAnalysis.Whole whole) {
    NodeNames nodes = new NodeNames(Set.of(), Set.of(), true, problems);
    return new ExpressionAnalysis(
        names, nodes, resolution, limits, problems, ExpressionAnalysis.Place.ROWS, whole);
  }

  /**
   * Returns the analyzed query.
   *
   * @throws io.retroscope.rql.diagnostic.RqlException with every independent error
   */
  AnalyzedOuterQuery analyze() {
    query.where().ifPresent(where -> operands.condition(where, beforeGroups.type(where), "WHERE"));
    List<Expression> keys = query.groupBy().stream().map(this::groupKey).toList();
    keys.forEach(key -> operands.oneValue(key, beforeGroups.type(key)));
    List<Expression> sortKeys = query.orderBy().stream().map(this::sortKey).toList();
    boolean isGrouped = !keys.isEmpty() || hasAggregate(sortKeys);
    GroupedValues groups =
        new GroupedValues(input.size(), keys, columns, beforeGroups, resolution, problems);
    ExpressionAnalysis ofResult = isGrouped ? analysis(groups) : ofRows;
    List<Item> items = isGrouped ? groupItems(ofResult) : rowItems();
    sortKeys.forEach(key -> checkSorted(key, items, ofResult));
    problems.throwIfAny();
    return new AnalyzedOuterQuery(
        query,
        inner,
        input,
        resolution,
        items,
        isGrouped,
        keys,
        groups.aggregates(),
        sortKeys,
        names.mostBound());
  }

  /** Checks a sort key; one that is an item too is checked already, but may be a collection. */
  private void checkSorted(Expression key, List<Item> items, ExpressionAnalysis ofResult) {
    Optional<Type> known =
        items.stream()
            .filter(item -> item.expression() == key)
            .map(item -> item.column().type())
            .findFirst();
    if (known.isEmpty()) {
      operands.oneValue(key, ofResult.type(key));
    } else if (known.get() == Type.COLLECTION) {
      columns.type(key);
    }
  }

  private boolean hasAggregate(List<Expression> sortKeys) {
    List<Expression> roots = new ArrayList<>(sortKeys);
    query.items().forEach(item -> roots.add(item.expression()));
    return roots.stream()
        .flatMap(root -> root.thisAndAllBelow().stream())
        .anyMatch(GroupedValues::isAggregate);
  }

  private Optional<Type> refusedAggregate(Expression expression) {
    if (!GroupedValues.isAggregate(expression)) {
      return Optional.empty();
    }
    problems.add(
        ErrorCode.MISPLACED_AGGREGATE
            .at(
                expression.range(),
                problems.text(expression.range()),
                "in WHERE, GROUP BY or another aggregate")
            .withHelp(
                "name it with AS and use it around another query:"
                    + " SELECT * FROM (SELECT ..., COUNT(*) AS n ...) WHERE n > 3"));
    return Optional.of(Type.FAULTY);
  }

  /** Replaces a position, and the name of an item that is no column, by the item. */
  private Expression groupKey(Expression key) {
    boolean isColumn = key instanceof Expression.Name name && columns.has(name);
    return isColumn ? key : itemAt(key, "group").or(() -> itemNamed(key)).orElse(key);
  }

  /** As in SQL, the name of an item precedes that of a column. */
  private Expression sortKey(Statement.SortKey key) {
    Expression written = key.expression();
    return itemAt(written, "sort").or(() -> itemNamed(written)).orElse(written);
  }

  private Optional<Expression> itemAt(Expression key, String purpose) {
    if (!(key instanceof Expression.Literal literal)
        || !(literal.value() instanceof LongValue position)) {
      return Optional.empty();
    }
    long at = position.value();
    if (at < 1 || at > query.items().size()) {
      problems.add(
          ErrorCode.BAD_POSITION
              .at(key.range(), at, purpose)
              .withHelp("a number is the position of an item, from 1"));
      return Optional.empty();
    }
    return Optional.of(query.items().get((int) at - 1).expression());
  }

  private Optional<Expression> itemNamed(Expression key) {
    return key instanceof Expression.Name name
        ? query.items().stream()
            .filter(item -> isCalled(item, name.identifier()))
            .map(Statement.SelectItem::expression)
            .findFirst()
        : Optional.empty();
  }

  private static boolean isCalled(Statement.SelectItem item, Identifier name) {
    return item.alias().map(alias -> alias.text().equals(name.text())).orElse(false);
  }

  /** The items of a query whose rows are those of the inner one. */
  private List<Item> rowItems() {
    List<Item> items = new ArrayList<>();
    if (query.items().isEmpty()) {
      for (OutputColumn column : input) {
        items.add(new Item(column, columns.name(column)));
      }
      return items;
    }
    Map<String, String> textByHeading = new HashMap<>();
    for (Statement.SelectItem item : query.items()) {
      // A column as it is needs no single value.
      Optional<OutputColumn> same = columns.same(item.expression());
      Type type = same.map(OutputColumn::type).orElseGet(() -> ofRows.type(item.expression()));
      add(items, item, type, textByHeading);
    }
    return items;
  }

  private List<Item> groupItems(ExpressionAnalysis ofResult) {
    List<Item> items = new ArrayList<>();
    if (query.items().isEmpty()) {
      problems.add(
          ErrorCode.NOT_GROUPED
              .at(whatGroups(), "*")
              .withHelp("list the items of GROUP BY and aggregates such as COUNT(*)"));
    }
    Map<String, String> textByHeading = new HashMap<>();
    for (Statement.SelectItem item : query.items()) {
      Type type = ofResult.type(item.expression());
      operands.oneValue(item.expression(), type);
      add(items, item, type, textByHeading);
    }
    return items;
  }

  /** The place that makes the rows groups; without items, an aggregate can only be a sort key. */
  private SourceRange whatGroups() {
    return query.groupBy().isEmpty()
        ? query.orderBy().get(0).range()
        : query.groupBy().get(0).range();
  }

  private void add(
      List<Item> items, Statement.SelectItem item, Type type, Map<String, String> textByHeading) {
    String heading =
        item.alias()
            .map(Identifier::text)
            .or(() -> resolution.rowColumn(item.expression()).map(Reference.RowColumn::name))
            .orElse(item.text());
    String before = textByHeading.putIfAbsent(heading, item.text());
    if (before == null) {
      items.add(new Item(new OutputColumn(heading, false, type), item.expression()));
    } else if (!before.equals(item.text())) {
      problems.add(
          ErrorCode.REPEATED_COLUMN
              .at(item.range(), heading)
              .withHelp("give one of them another name with AS"));
    }
  }
}
