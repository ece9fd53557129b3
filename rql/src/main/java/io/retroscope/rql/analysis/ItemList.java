// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The columns that a query selects: {@code *} expanded, repetitions removed, OUT names added. */
final class ItemList {
  private final Statement.Query query;
  private final Names names;
  private final List<Reference.Declared> declarations;
  private final Resolution resolution;
  private final Problems problems;
  private final List<AnalyzedQuery.Item> items = new ArrayList<>();
  private final Map<String, String> textByHeading = new HashMap<>();

  ItemList(
      Statement.Query query,
      Names names,
      List<Reference.Declared> declarations,
      Resolution resolution,
      Problems problems) {
    this.query = query;
    this.names = names;
    this.declarations = declarations;
    this.resolution = resolution;
    this.problems = problems;
  }

  static void refuseReserved(
      Statement.Query query, String heading, SourceRange range, String help, Problems problems) {
    if (AutomaticColumns.isReserved(query, heading)) {
      boolean isOfIntervals = heading.equals(AutomaticColumns.DURATION_UNCERTAINTY);
      problems.add(
          ErrorCode.RESERVED_COLUMN
              .at(range, heading)
              .withHelp(isOfIntervals ? help + "; it is a column of EMIT INTERVALS" : help));
    }
  }

  List<AnalyzedQuery.Item> items() {
    if (query.items().isEmpty()) {
      everything();
    } else {
      query.items().forEach(this::add);
    }
    declarations.forEach(this::addOut);
    return items;
  }

  private void add(Statement.SelectItem item) {
    String heading = item.alias().map(Identifier::text).orElse(item.text());
    SourceRange range = item.alias().map(Identifier::range).orElse(item.range());
    refuseReserved(query, heading, range, "give the item another name with AS", problems);
    boolean hidesOut = isOut(heading) && !item.text().equals(heading);
    String before = hidesOut ? heading : textByHeading.putIfAbsent(heading, item.text());
    if (before == null) {
      items.add(new AnalyzedQuery.Item(heading, item.expression()));
    } else if (!before.equals(item.text())) {
      problems.add(
          ErrorCode.REPEATED_COLUMN
              .at(range, heading)
              .withHelp("give one of them another name with AS"));
    }
  }

  private boolean isOut(String name) {
    return names
        .declaredAs(name)
        .filter(r -> r instanceof Reference.Declared d && d.kind() == DeclarationKind.OUT)
        .isPresent();
  }

  private void addOut(Reference.Declared declared) {
    if (declared.kind() == DeclarationKind.OUT
        && textByHeading.putIfAbsent(declared.name(), declared.name()) == null) {
      items.add(new AnalyzedQuery.Item(declared.name(), name(declared.name(), declared)));
    }
  }

  /**
   * Adds the name and the values of the variable, because FOR EACH VARIABLE evaluates the query for
   * one variable at a time.
   */
  private void everything() {
    if (query.forEach().orElse(null) instanceof ForEach.OfVariable forEach) {
      Identifier each = forEach.name();
      Reference reference = names.declaredAs(each.text()).orElseThrow();
      Expression variable = name(each.text(), reference);
      resolution.markCollection(variable);
      Identifier function =
          new Identifier(RqlFunction.OfVariable.NAME.displayName(), false, each.range());
      addEvery(
          "Name(" + each.text() + ")",
          new Expression.Call(function, false, List.of(variable), each.range()));
      addEvery(each.text(), variable);
      return;
    }
    query
        .forEach()
        .map(ForEach::name)
        .ifPresent(each -> addEvery(each.text(), name(each.text(), bound(each))));
    for (String log : names.logs()) {
      for (String variable : names.variablesOf(log)) {
        boolean shared =
            AutomaticColumns.isReserved(query, variable)
                || names.declaredAs(variable).isPresent()
                || names.logs().stream().filter(l -> names.has(l, variable)).count() > 1;
        Expression expression = name(variable, names.use(log, variable));
        resolution.markCollection(expression);
        addEvery(shared ? log + "." + variable : variable, expression);
      }
    }
  }

  private Reference bound(Identifier each) {
    return names.boundAs(each.text()).orElseThrow();
  }

  private void addEvery(String heading, Expression expression) {
    textByHeading.put(heading, heading);
    items.add(new AnalyzedQuery.Item(heading, expression));
  }

  private Expression name(String text, Reference reference) {
    Expression name =
        new Expression.Name(new Identifier(text, false, query.range()), query.range());
    resolution.put(name, reference);
    return name;
  }
}
