// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import static java.util.stream.Collectors.joining;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.MomentaryVariables;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The meanings of names in one query, innermost first: bound, declared, FOR EACH, variables. */
final class Names {
  /** The variables that log lines and messages set, which exist in every log. */
  private static final Set<String> MOMENTARY = MomentaryVariables.ALL;

  private static final int MAX_DOTTED = 3;

  private final Catalog catalog;
  private final boolean mayAppearLater;
  private final Set<String> obscured;
  private final boolean logsAreKnown;
  private final Problems problems;
  private final Map<String, Set<String>> variablesByLog = new LinkedHashMap<>();
  private final Map<String, Reference> declared = new HashMap<>();
  private final Map<String, List<Reference.Bound>> bound = new HashMap<>();
  private final Map<String, String> aliases = new HashMap<>();
  private final Set<Reference.Variable> used = new LinkedHashSet<>();
  private int boundCount;
  private int mostBound;

  /**
   * Creates the names of a query over some logs.
   *
   * @param mayAppearLater whether a variable that was never written is accepted
   * @param obscured names that may be declared in a part of the query with syntax errors
   */
  Names(
      Catalog catalog,
      List<String> logs,
      boolean mayAppearLater,
      Set<String> obscured,
      Problems problems) {
    this.catalog = catalog;
    this.mayAppearLater = mayAppearLater;
    this.obscured = new HashSet<>(obscured);
    this.logsAreKnown = catalog.logNames().containsAll(logs);
    this.problems = problems;
    logs.forEach(log -> variablesByLog.put(log, new HashSet<>(catalog.variables(log))));
  }

  /** Creates the names of an outer query, in which only quantifiers bind names. */
  Names(Problems problems) {
    this(Catalog.EMPTY, List.of(), false, Set.of(), problems);
  }

  /** Returns the known variables of a log in FROM, ordered. */
  List<String> variablesOf(String log) {
    return catalog.variables(log);
  }

  /** The variables looked up so far, in the order of the text. */
  Set<Reference.Variable> used() {
    return used;
  }

  int mostBound() {
    return mostBound;
  }

  Set<String> logs() {
    return variablesByLog.keySet();
  }

  /** Declares a name for the whole query; returns false if the name is taken. */
  boolean declare(String name, Reference reference) {
    return declared.putIfAbsent(name, reference) == null;
  }

  /** Records that a problem with a name is reported already, so that its other uses are not. */
  void obscure(String name) {
    obscured.add(name);
  }

  /**
   * Records the expression of a column, for the error message if the column is used as a variable.
   */
  void alias(String name, String expression) {
    aliases.putIfAbsent(name, expression);
  }

  Optional<Reference> declaredAs(String name) {
    return Optional.ofNullable(declared.get(name));
  }

  /** Binds a name until {@link #unbind}. */
  Reference.Bound bind(String name) {
    Reference.Bound reference = new Reference.Bound(name, boundCount++);
    mostBound = Math.max(mostBound, boundCount);
    bound.computeIfAbsent(name, n -> new ArrayList<>()).add(reference);
    return reference;
  }

  void unbind(String name) {
    List<Reference.Bound> hidden = bound.getOrDefault(name, new ArrayList<>());
    hidden.remove(hidden.size() - 1);
    boundCount--;
  }

  int boundCount() {
    return boundCount;
  }

  Optional<Reference.Bound> boundAs(String name) {
    List<Reference.Bound> all = bound.get(name);
    return all == null || all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  /**
   * Returns the meaning of a name without a log; empty, after reporting a problem, if it has none.
   */
  Optional<Reference> find(Expression.Name name) {
    String text = name.identifier().text();
    Optional<Reference.Bound> innermost = boundAs(text);
    if (innermost.isPresent()) {
      return Optional.of(innermost.get());
    }
    Optional<Reference> declaration = declaredAs(text);
    return declaration.isPresent() ? declaration : variable(name).map(v -> v);
  }

  private Optional<Reference.Variable> variable(Expression.Name name) {
    String text = name.identifier().text();
    List<String> holders = holders(text);
    if (holders.size() == 1) {
      return Optional.of(use(holders.get(0), text));
    }
    if (holders.isEmpty()) {
      // It may be a variable of a misspelled log, which is reported already.
      if (logsAreKnown && !obscured.contains(text)) {
        unknown(name.identifier(), logs());
      }
    } else if (logsAreKnown || mayAppearLater) {
      problems.add(
          ErrorCode.AMBIGUOUS_VARIABLE
              .at(name.range(), text, String.join(", ", holders))
              .withHelp("say which: " + qualified(holders, text)));
    }
    return Optional.empty();
  }

  private List<String> holders(String variable) {
    List<String> known = logs().stream().filter(log -> has(log, variable)).toList();
    boolean anywhere = mayAppearLater || MOMENTARY.contains(variable);
    return known.isEmpty() && anywhere ? List.copyOf(logs()) : known;
  }

  /** Returns whether a log in FROM has the variable. */
  boolean has(String log, String variable) {
    return variablesByLog.getOrDefault(log, Set.of()).contains(variable);
  }

  private static String qualified(List<String> logs, String variable) {
    return String.join(" or ", logs.stream().map(log -> log + "." + variable).toList());
  }

  /**
   * Returns the variable of a log in FROM; empty, after reporting a problem, if it does not exist.
   */
  Optional<Reference.Variable> variable(String log, Identifier variable) {
    String text = variable.text();
    if (has(log, text) || mayAppearLater || MOMENTARY.contains(text)) {
      return Optional.of(use(log, text));
    }
    if (catalog.logNames().contains(log)) {
      unknown(variable, Set.of(log));
    }
    return Optional.empty();
  }

  Reference.Variable use(String log, String variable) {
    Reference.Variable reference = new Reference.Variable(log, variable);
    used.add(reference);
    return reference;
  }

  private void unknown(Identifier name, Set<String> logs) {
    String where =
        (logs.size() == 1 ? "log " : "logs ")
            + String.join(", ", logs.stream().map(log -> '"' + log + '"').toList());
    Diagnostic problem = ErrorCode.UNKNOWN_VARIABLE.at(name.range(), name.text(), where);
    problems.add(problem, () -> helpFor(name, logs));
  }

  private static String quoted(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  private String helpFor(Identifier written, Set<String> logs) {
    String name = written.text();
    if (aliases.containsKey(name)) {
      return "\"" + name + "\" is a column; elsewhere write " + aliases.get(name);
    }
    if (declared.containsKey(name)) {
      return "\"" + name + "\" is a name of this query, which is written without a log";
    }
    if (this.logs().contains(name)) {
      return "\"" + name + "\" is a log; its variables are written " + name + ".x";
    }
    if (AutomaticColumns.OF_CUT.contains(name)) {
      return "it is a column of the answer; select a range of time with ON TIME p TO q, or use Time()";
    }
    if (catalog.nodeNames().contains(name)) {
      return "\"%1$s\" is a node; the value of r1 there is written r1@%2$s"
          .formatted(name, NodeNames.written(name));
    }
    Set<String> elsewhere = new TreeSet<>();
    for (LogDescription log : catalog.logs()) {
      if (!logs.contains(log.name()) && log.variables().contains(name)) {
        elsewhere.add(log.name());
      }
    }
    if (!elsewhere.isEmpty()) {
      return "it is in log " + String.join(", ", elsewhere) + ", which FROM does not name";
    }
    Set<String> known = new TreeSet<>();
    logs.forEach(log -> known.addAll(variablesByLog.getOrDefault(log, Set.of())));
    List<String> dotted = known.stream().filter(variable -> isPartOf(variable, name)).toList();
    if (!dotted.isEmpty()) {
      return "a name with other characters than letters, digits and _ is quoted: "
          + dotted.stream().limit(MAX_DOTTED).map(Names::quoted).collect(joining(", "));
    }
    declared.keySet().forEach(known::add);
    String help = Suggestions.help(name, known, "Variables here");
    return isComparedWith(written) ? help + "; a text is written '" + name + "'" : help;
  }

  /** Whether a name is the right side of an equation, where texts are common. */
  private boolean isComparedWith(Identifier name) {
    return problems.text().substring(0, name.range().start()).stripTrailing().endsWith("=");
  }

  /** Whether a variable's name has a character that ends an unquoted name, and a word beside it. */
  private static boolean isPartOf(String variable, String word) {
    return !variable.equals(word) && List.of(variable.split("[^A-Za-z0-9_$]")).contains(word);
  }
}
