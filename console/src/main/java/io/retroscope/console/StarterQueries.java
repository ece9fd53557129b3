// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.completion.StatementCompleter;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.cut.walk.LocalWalk;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Statements for a first look, made from the variables that there are: from the types of their last
 * values and the number of nodes that have them. Used by one thread.
 */
public final class StarterQueries {
  private static final int MAX_QUERIES = 3;

  private static final String MESSAGE = "message";
  private static final String LEVEL = "level";
  private static final String BAD_LEVELS = "'WARN', 'WARNING', 'ERROR', 'SEVERE', 'FATAL'";

  /** The most variables whose values are looked at. */
  private static final int MAX_VARIABLES = 500;

  private final View view;
  private final List<Starter> starters = new ArrayList<>();

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
    List<VariableColumn> columns = new ArrayList<>();
    CutState state = new CutState(Set.of());
    for (LogDescription log : view.logs()) {
      if (logs.contains(log.name())) {
        log.variables().stream()
            .limit(MAX_VARIABLES - (long) columns.size())
            .forEach(variable -> columns.add(state.follow(log.name(), variable)));
      }
    }
    new LocalWalk(state, Interest.inAll(logs), new Silent())
        .start(view, Math.min(HlcTimestamp.MAX_PACKED, all.to() + 1));
    differing(state, columns);
    spread(state, columns);
    changes(state, columns);
    lines(state, columns);
    last(all, logs);
  }

  /** Nodes that should agree: the first variable with texts or truths at several nodes. */
  private void differing(CutState state, List<VariableColumn> columns) {
    for (VariableColumn column : columns) {
      Value value = value(state, column);
      boolean isName = value instanceof StringValue || value instanceof BooleanValue;
      if (isName && column.present() > 1) {
        String name = name(column.name());
        add(
            "When do nodes differ in " + column.name() + "?",
            "SELECT %s FROM %s WHEN EXISTS a, b IN %s : (a <> b) LIMIT 100"
                .formatted(name, name(column.log()), name),
            at(column));
        return;
      }
    }
  }

  /** Nodes that follow one another: the first variable with numbers at several nodes. */
  private void spread(CutState state, List<VariableColumn> columns) {
    for (VariableColumn column : columns) {
      Value value = value(state, column);
      boolean isNumber = value instanceof NumberValue;
      if (isNumber && column.present() > 1) {
        String name = name(column.name());
        add(
            "How far apart are the nodes in " + column.name() + "?",
            "SELECT %s, SPREAD(%s) AS apart FROM %s WHEN SPREAD(%s) > 0 LIMIT 100"
                .formatted(name, name, name(column.log()), name),
            at(column));
        return;
      }
    }
  }

  private void changes(CutState state, List<VariableColumn> columns) {
    for (VariableColumn column : columns) {
      if (starters.size() < MAX_QUERIES - 1 && value(state, column) != null) {
        String name = name(column.name());
        add(
            "When does " + column.name() + " change?",
            "SELECT %s FROM %s WHEN CHANGED(%s) LIMIT 100"
                .formatted(name, name(column.log()), name),
            at(column));
      }
    }
  }

  /** Log lines, which have values at their own stamps only. */
  private void lines(CutState state, List<VariableColumn> columns) {
    for (VariableColumn column : columns) {
      String log = column.log();
      if (starters.size() >= MAX_QUERIES || !isOfLines(state, column, MESSAGE)) {
        continue;
      }
      add(
          "What do the lines of all nodes say, in one order?",
          "SELECT message FROM %s LIMIT 100".formatted(name(log)),
          "the log %s has lines".formatted(log));
      if (columns.stream().anyMatch(c -> c.log().equals(log) && isOfLines(state, c, LEVEL))) {
        add(
            "Which lines are warnings or errors?",
            "SELECT level, message FROM %s WHEN EXISTS line IN level : (line IN {%s}) LIMIT 100"
                .formatted(name(log), BAD_LEVELS),
            "the log %s has lines with a level".formatted(log));
      }
    }
  }

  private static boolean isOfLines(CutState state, VariableColumn column, String name) {
    return column.name().equals(name) && value(state, column) == null;
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

  /** The value of any node. */
  private static @Nullable Value value(CutState state, VariableColumn column) {
    for (int node = 0; node < state.nodes().size(); node++) {
      Value value = column.at(node);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  /** Needs only the state. */
  private static final class Silent implements LocalWalk.Listener {
    @Override
    public void earlier(EventBlock block, int row) {}

    @Override
    public boolean before(EventBlock block, int row) {
      return true;
    }

    @Override
    public void changed(int node, long hlc) {}

    @Override
    public void after(EventBlock block, int row) {}

    @Override
    public void warning(EventWarning warning) {}
  }
}
