// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.analysis.ExpressionAnalysis.Place;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The analysis of one query. */
final class QueryAnalysis {
  private final Catalog catalog;
  private final AnalysisLimits limits;
  private final String text;
  private final Statement.Query query;
  private final Problems problems;
  private final Resolution resolution = new Resolution();
  private final Names names;
  private final NodeNames nodeNames;
  private final List<Reference.Declared> declarations = new ArrayList<>();
  private final Set<String> assigned = new HashSet<>();

  QueryAnalysis(
      Catalog catalog,
      AnalysisLimits limits,
      String text,
      Statement.Query query,
      Set<String> obscured) {
    this.catalog = catalog;
    this.limits = limits;
    this.text = text;
    this.query = query;
    problems = new Problems(text, NodeNames.example(catalog.nodeNames(), listedNodes()));
    List<String> logs = query.logs().stream().map(Identifier::text).distinct().toList();
    names = new Names(catalog, logs, query.stream(), obscured, problems);
    nodeNames = new NodeNames(catalog.nodeNames(), listedNodes(), query.stream(), problems);
  }

  private Set<String> listedNodes() {
    Set<String> listed = new LinkedHashSet<>();
    query.nodes().nodes().forEach(node -> listed.add(node.text()));
    return listed;
  }

  /** Checks a single expression outside a query. */
  static Resolution standalone(AnalysisLimits limits, String text, Statement.Evaluate evaluate) {
    Problems problems = new Problems(text, NodeNames.example(Set.of(), Set.of()));
    Resolution resolution = new Resolution();
    Names names = new Names(Catalog.EMPTY, List.of(), false, Set.of(), problems);
    NodeNames nodeNames = new NodeNames(Set.of(), Set.of(), true, problems);
    new ExpressionAnalysis(names, nodeNames, resolution, limits, problems, Place.ALONE)
        .type(evaluate.expression());
    problems.throwIfAny();
    return resolution;
  }

  /**
   * Returns the analyzed query.
   *
   * @throws RqlException with every independent error
   */
  AnalyzedQuery analyze() {
    List<AnalyzedQuery.Item> items = check();
    problems.throwIfAny();
    return new AnalyzedQuery(
        query,
        resolution,
        items,
        names.used(),
        declarations,
        names.mostBound(),
        new DoubtSearch(catalog, text, query, names.used()).doubts(),
        Map.of());
  }

  List<Diagnostic> problems() {
    check();
    return problems.found();
  }

  private List<AnalyzedQuery.Item> check() {
    checkLogs();
    declareNames();
    checkNodes();
    checkTime();
    checkExpressions();
    List<AnalyzedQuery.Item> items =
        new ItemList(query, names, declarations, resolution, problems).items();
    if (items.size() > limits.maxItems()) {
      problems.add(
          ErrorCode.TOO_MANY_COLUMNS
              .at(query.range(), items.size(), limits.maxItems())
              .withHelp("list the items that you need instead of *"));
    }
    return items;
  }

  private void checkLogs() {
    Set<String> seen = new HashSet<>();
    for (Identifier log : query.logs()) {
      if (!seen.add(log.text())) {
        problems.add(ErrorCode.REPEATED_NAME.at(log.range(), "log", log.text()));
      } else if (!catalog.logNames().contains(log.text()) && !query.stream()) {
        problems.add(
            ErrorCode.UNKNOWN_LOG.at(log.range(), log.text()),
            () -> Suggestions.help(log.text(), catalog.logNames(), "Logs"));
      }
    }
  }

  private void declareNames() {
    query.forEach().ifPresent(this::declareEach);
    query.compute().ifPresent(this::declareAll);
    assigned.stream().filter(name -> names.declaredAs(name).isEmpty()).forEach(names::obscure);
    query.items().forEach(item -> item.alias().ifPresent(a -> names.alias(a.text(), item.text())));
  }

  private void declareEach(ForEach forEach) {
    if (forEach instanceof ForEach.OfVariable) {
      declareEachVariable(forEach);
      return;
    }
    Expression collection = forEach.collection().orElseThrow();
    Type type = analysis(Place.QUERY).type(collection);
    new Operands(problems).elements(collection, type, "FOR EACH VALUE");
    names.bind(forEach.name().text());
    boolean looksBack =
        query.when().flatMap(Statement.When::response).stream()
            .anyMatch(clause -> clause.order() == Order.AFTER);
    if (looksBack) {
      ageIn(collection)
          .ifPresent(
              age ->
                  problems.add(
                      ErrorCode.NOT_IN_RESPONSE
                          .at(collection.range(), "FOR EACH with AFTER", age.displayName())
                          .withHelp("compare ages in WHEN")));
    }
    if (looksBack && query.stream()) {
      problems.add(
          ErrorCode.NOT_IN_STREAM
              .at(forEach.range(), "FOR EACH with AFTER")
              .withHelp(
                  "what was expected of an element before it came is not known; query the past"));
    }
  }

  private static Optional<RqlFunction.PerNode> ageIn(Expression collection) {
    return collection.all(Expression.Call.class).stream()
        .flatMap(call -> RqlFunction.named(call.function().text()).stream())
        .filter(RqlFunction.PerNode.class::isInstance)
        .map(RqlFunction.PerNode.class::cast)
        .filter(RqlFunction.PerNode::isAge)
        .findFirst();
  }

  private void declareEachVariable(ForEach forEach) {
    if (names.logs().size() > 1) {
      problems.add(
          ErrorCode.ONE_LOG_ONLY
              .at(forEach.range(), names.logs().size())
              .withHelp("query each log separately"));
    }
    String log = query.logs().get(0).text();
    names.declare(forEach.name().text(), new Reference.EachVariable(log));
  }

  /** Declares all names first, because they are visible in the whole query. */
  private void declareAll(Expression compute) {
    compute.all(Expression.Declaration.class).forEach(this::declare);
    compute.all(Expression.Assignment.class).forEach(e -> assigned.add(e.name().text()));
  }

  private void declare(Expression.Declaration declaration) {
    Identifier name = declaration.name();
    Reference.Declared declared =
        new Reference.Declared(name.text(), declaration.kind(), declarations.size());
    if (names.boundAs(name.text()).isPresent() || !names.declare(name.text(), declared)) {
      problems.add(
          ErrorCode.NAME_TAKEN.at(name.range(), name.text()).withHelp("choose another name"));
      return;
    }
    declarations.add(declared);
    if (declaration.kind() == DeclarationKind.OUT) {
      ItemList.refuseReserved(query, name.text(), name.range(), "choose another name", problems);
    }
  }

  private void checkNodes() {
    Set<String> seen = new HashSet<>();
    for (Identifier node : query.nodes().nodes()) {
      if (seen.add(node.text())) {
        nodeNames.checkKnown(node);
      } else {
        problems.add(ErrorCode.REPEATED_NAME.at(node.range(), "node", node.text()));
      }
    }
  }

  private void checkTime() {
    if (query.onTime().orElse(null) instanceof OnTime.Between between) {
      if (query.stream()) {
        problems.add(
            ErrorCode.NOT_IN_STREAM
                .at(between.range(), "an end of its time")
                .withHelp("ON TIME p starts it at p; omit STREAM to query the past"));
      } else if (isBackward(between.from(), between.to())) {
        problems.add(
            ErrorCode.BACKWARD_RANGE.at(between.range()).withHelp("write the earlier time first"));
      }
    }
  }

  private static boolean isBackward(TimePoint from, TimePoint to) {
    if (from instanceof TimePoint.Iso a && to instanceof TimePoint.Iso b) {
      return a.micros() > b.micros();
    }
    if (from instanceof TimePoint.Hlc a && to instanceof TimePoint.Hlc b) {
      return a.packed() > b.packed();
    }
    return from instanceof TimePoint.Now a
        && to instanceof TimePoint.Now b
        && a.minusMicros() < b.minusMicros();
  }

  private void checkExpressions() {
    ExpressionAnalysis inQuery = analysis(Place.QUERY);
    Operands operands = new Operands(problems);
    query.items().forEach(item -> inQuery.type(item.expression()));
    query.compute().ifPresent(compute -> checkCompute(compute, operands));
    query
        .when()
        .map(Statement.When::predicate)
        .ifPresent(predicate -> operands.condition(predicate, inQuery.type(predicate), "WHEN"));
    query
        .when()
        .flatMap(Statement.When::response)
        .ifPresent(clause -> checkResponse(clause, inQuery, operands));
    query.play().ifPresent(play -> new PlayAnalysis(query, play, inQuery, names, problems).check());
  }

  private void checkResponse(Response clause, ExpressionAnalysis inQuery, Operands operands) {
    Expression expected = clause.expected();
    operands.condition(expected, inQuery.type(expected), clause.words());
    refuseGlobals(expected);
    clause
        .excuse()
        .ifPresent(
            excuse -> {
              operands.condition(excuse, inQuery.type(excuse), "UNLESS");
              refuseGlobals(excuse);
            });
    Emit emit = query.emit().orElse(Emit.INTERVALS);
    if (emit == Emit.CUTS) {
      refuse(clause, "EMIT CUTS", "EMIT INTERVALS is the default");
    } else if (emit == Emit.EDGES && clause.order() == Order.THEN && !clause.negated()) {
      refuse(clause, "EMIT EDGES", "its row has a begin and an end; NOT THEN takes EMIT EDGES");
    }
    if (query.onTime().orElse(null) instanceof OnTime.At && !query.stream()) {
      refuse(clause, "a single instant", "name a range: ON TIME p TO q");
    }
  }

  private void refuse(Response clause, String what, String help) {
    problems.add(ErrorCode.NOT_IN_RESPONSE.at(clause.range(), clause.words(), what).withHelp(help));
  }

  private void refuseGlobals(Expression expression) {
    for (Expression.Name name : expression.all(Expression.Name.class)) {
      boolean isGlobal =
          resolution
              .declared(name)
              .filter(declared -> declared.kind() == DeclarationKind.GLOBAL)
              .isPresent();
      if (isGlobal) {
        problems.add(
            ErrorCode.NOT_IN_RESPONSE
                .at(name.range(), "the predicate of THEN, AFTER or UNLESS", "a GLOBAL")
                .withHelp("its value depends on which cuts were evaluated before; use VAR"));
      }
    }
  }

  private void checkCompute(Expression compute, Operands operands) {
    operands.oneValue(compute, analysis(Place.COMPUTE).type(compute));
  }

  private ExpressionAnalysis analysis(Place place) {
    return new ExpressionAnalysis(names, nodeNames, resolution, limits, problems, place);
  }
}
