// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.completion.StatementCompleter;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.state.VariableColumn;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Statements for a first look, made from the variables that there are: from the types and the
 * changes of their last values, and the number of nodes that have them. Used by one thread.
 */
public final class StarterQueries {
  private static final int MAX_QUERIES = 3;

  private static final String MESSAGE = "message";
  private static final String LEVEL = "level";
  private static final String BAD_LEVELS = "'WARN', 'WARNING', 'ERROR', 'SEVERE', 'FATAL'";

  private static final Pattern PLAIN = Pattern.compile("[\\w ./:-]{1,40}");

  /** Greater numbers are not differences that a person judges. */
  private static final double MAX_READABLE = 1e9;

  private final View view;
  private final List<Starter> starters = new ArrayList<>();
  private final Set<VariableColumn> used = new HashSet<>();

  /**
   * One statement.
   *
   * @param title the question that it answers
   * @param reason why it is offered
   */
  public record Starter(String title, String query, String reason) {}

  private StarterQueries(View view) {
    this.view = view;
  }

  /** Makes up to three statements; none if nothing is stored. */
  public static List<Starter> of(View view) {
    StarterQueries queries = new StarterQueries(view);
    view.extent().ifPresent(queries::make);
    return List.copyOf(queries.starters);
  }

  private void make(HlcRange all) {
    Set<String> logs = EventRange.logs(view);
    LatestValues latest = new LatestValues(view, all, logs);
    alone(latest);
    differing(latest);
    apart(latest);
    changes(latest);
    lines(latest);
    last(all, logs);
  }

  /** What only one node should be, such as the leader. */
  private void alone(LatestValues latest) {
    for (VariableColumn column : latest.variables()) {
      Optional<String> text = latest.of(column).ofOneNode().flatMap(StarterQueries::literal);
      if (text.isPresent() && column.present() > 1) {
        String name = name(column.name());
        add(
            column,
            "When are two nodes %s in %s?".formatted(text.get(), column.name()),
            "SELECT %s FROM %s WHEN COUNT n IN NODES : (%s@n = %s) >= 2 LIMIT 100"
                .formatted(name, name(column.log()), name, text.get()),
            "one node was nearly always " + text.get() + ", the others were not");
        return;
      }
    }
  }

  /** Nodes that should agree: the first variable with texts or truths in which they do at times. */
  private void differing(LatestValues latest) {
    for (VariableColumn column : latest.variables()) {
      Value value = latest.value(column);
      boolean isName = value instanceof StringValue || value instanceof BooleanValue;
      if (isName && !used.contains(column) && latest.of(column).differsAtTimes()) {
        String name = name(column.name());
        add(
            column,
            "When do nodes differ in " + column.name() + "?",
            "SELECT %s FROM %s WHEN EXISTS a, b IN %s : (a <> b) LIMIT 100"
                .formatted(name, name(column.log()), name),
            at(column));
        return;
      }
    }
  }

  /** Nodes that follow one another in a number, of which the widest differences are of interest. */
  private void apart(LatestValues latest) {
    Optional<VariableColumn> best =
        latest.variables().stream()
            .filter(column -> column.present() > 1 && latest.of(column).farApart().isPresent())
            .min(
                Comparator.comparingInt((VariableColumn column) -> strangeness(latest.of(column)))
                    .thenComparingDouble(column -> -latest.of(column).mostApart()));
    if (best.isEmpty()) {
      return;
    }
    VariableColumn column = best.get();
    String name = name(column.name());
    String least = number(latest.of(column).farApart().orElseThrow());
    add(
        column,
        least.equals("1")
            ? "When do nodes differ in " + column.name() + "?"
            : "When are nodes %s or more apart in %s?".formatted(least, column.name()),
        "SELECT %s, SPREAD(%s) AS apart FROM %s WHEN SPREAD(%s) >= %s LIMIT 100"
            .formatted(name, name, name(column.log()), name, least),
        "%s; the last ones were up to %s apart"
            .formatted(at(column), number(latest.of(column).mostApart())));
  }

  /** Identifiers and times are large; nodes that never agree count each for itself. */
  private static int strangeness(LatestValues.Seen seen) {
    return (seen.differsAtTimes() ? 0 : 2) + (seen.greatest() < MAX_READABLE ? 0 : 1);
  }

  /** Variables that change now and then, the rarest first. */
  private void changes(LatestValues latest) {
    latest.variables().stream()
        .filter(column -> !used.contains(column) && latest.value(column) != null)
        .filter(column -> column.holdsState())
        .sorted(Comparator.comparingInt(column -> dullness(latest.of(column), column.present())))
        .limit(Math.max(0, MAX_QUERIES - 1 - starters.size()))
        .forEach(
            column -> {
              String name = name(column.name());
              add(
                  column,
                  "When does " + column.name() + " change?",
                  "SELECT %s FROM %s WHEN CHANGED(%s) LIMIT 100"
                      .formatted(name, name(column.log()), name),
                  at(column));
            });
  }

  /** Values that were written once are the dullest, then those that each event writes. */
  private static int dullness(LatestValues.Seen seen, int nodes) {
    return seen.changes() > nodes ? seen.changes() : Integer.MAX_VALUE;
  }

  /** Log lines, which have values at their own stamps only. */
  private void lines(LatestValues latest) {
    List<VariableColumn> columns = latest.variables();
    for (VariableColumn column : columns) {
      String log = column.log();
      if (starters.size() >= MAX_QUERIES || !isOfLines(latest, column, MESSAGE)) {
        continue;
      }
      add(
          "What do the lines of all nodes say, in one order?",
          "SELECT message FROM %s LIMIT 100".formatted(name(log)),
          "the log %s has lines".formatted(log));
      if (columns.stream().anyMatch(c -> c.log().equals(log) && isOfLines(latest, c, LEVEL))) {
        add(
            "Which lines are warnings or errors?",
            "SELECT level, message FROM %s WHEN EXISTS line IN level : (line IN {%s}) LIMIT 100"
                .formatted(name(log), BAD_LEVELS),
            "the log %s has lines with a level".formatted(log));
      }
    }
  }

  private static boolean isOfLines(LatestValues latest, VariableColumn column, String name) {
    return column.name().equals(name) && latest.value(column) == null;
  }

  private void last(HlcRange all, Set<String> logs) {
    for (LogDescription log : view.logs()) {
      if (logs.contains(log.name()) && starters.size() < MAX_QUERIES) {
        add(
            "What were all values of " + log.name() + " at the end?",
            "SELECT * FROM %s ON TIME hlc'%s'"
                .formatted(name(log.name()), HlcTimestamp.text(all.to())),
            "the log %s has %,d events".formatted(log.name(), log.eventCount()));
      }
    }
  }

  private void add(VariableColumn column, String title, String query, String reason) {
    if (used.add(column)) {
      add(title, query, reason);
    }
  }

  private void add(String title, String query, String reason) {
    if (starters.size() < MAX_QUERIES && starters.stream().noneMatch(s -> s.query.equals(query))) {
      starters.add(new Starter(title, query, reason));
    }
  }

  private static String at(VariableColumn column) {
    String nodes = column.present() == 1 ? "1 node" : "%,d nodes".formatted(column.present());
    return "%s in the log %s has a value at %s".formatted(column.name(), column.log(), nodes);
  }

  private static String name(String name) {
    return StatementCompleter.written(List.of(name)).get(0);
  }

  /** A number that is not greater, with two digits if it is a fraction. */
  private static String number(double number) {
    BigDecimal exact = new BigDecimal(number);
    boolean isWhole = exact.stripTrailingZeros().scale() <= 0;
    return isWhole
        ? exact.setScale(0, RoundingMode.DOWN).toPlainString()
        : exact.round(new MathContext(2, RoundingMode.DOWN)).toPlainString();
  }

  /** A plain text or a truth as statements have it. */
  private static Optional<String> literal(Value value) {
    if (value instanceof BooleanValue truth) {
      return Optional.of(truth.value() ? "TRUE" : "FALSE");
    }
    return value instanceof StringValue text && PLAIN.matcher(text.value()).matches()
        ? Optional.of("'" + text.value() + "'")
        : Optional.empty();
  }
}
