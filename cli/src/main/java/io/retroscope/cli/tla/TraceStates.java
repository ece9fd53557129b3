// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.tla;

import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.Catalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The values of some variables, cut by cut, from before the first event on. Equal cuts in
 * succession are one state. Immutable.
 */
public final class TraceStates {
  /** The maximum number of states; TLC reads the whole module into memory. */
  static final int MAX_STATES = 100_000;

  private final List<String> names;
  private final List<State> states;
  private final List<String> warnings;

  /**
   * A state.
   *
   * @param hlc packed stamp of its first cut, the lowest before the first event
   * @param values for each name, the values by node
   */
  record State(long hlc, List<StructValue> values) {}

  private TraceStates(List<String> names, List<State> states, List<String> warnings) {
    this.names = List.copyOf(names);
    this.states = List.copyOf(states);
    this.warnings = List.copyOf(warnings);
  }

  /**
   * Reads the states.
   *
   * @param names as {@code log.variable}
   * @throws CommandException if a variable was never seen, or there are too many states
   * @throws IOException if the server cannot be reached
   */
  public static TraceStates read(Session session, Set<String> names) throws IOException {
    List<String> items = new ArrayList<>();
    Set<String> logs = new LinkedHashSet<>();
    Catalog catalog = session.catalog();
    for (String name : names) {
      String log = log(name, catalog);
      logs.add(quoted(log));
      items.add(quoted(log) + "." + quoted(name.substring(log.length() + 1)));
    }
    Rows rows = new Rows(names.size());
    QueryTarget.run(
        session,
        "SELECT "
            + items.stream()
                .map(item -> item + " AS " + alias(item))
                .collect(Collectors.joining(", "))
            + " FROM "
            + String.join(", ", logs),
        rows);
    return new TraceStates(List.copyOf(names), rows.states, rows.warnings);
  }

  /** Items keep their names apart from those of the columns that every answer has. */
  private static String alias(String item) {
    return quoted("of " + item.replace("`", ""));
  }

  private static String log(String name, Catalog catalog) {
    return catalog.logs().stream()
        .filter(log -> log.variables().stream().anyMatch(v -> name.equals(log.name() + "." + v)))
        .map(Catalog.LogDescription::name)
        .findFirst()
        .orElseThrow(() -> unknown(name, catalog));
  }

  private static CommandException unknown(String name, Catalog catalog) {
    Set<String> known = new LinkedHashSet<>();
    catalog.logs().forEach(log -> log.variables().forEach(v -> known.add(log.name() + "." + v)));
    String some = known.stream().limit(10).collect(Collectors.joining(", "));
    return new CommandException(
        ExitCode.USAGE, "no variable %s was recorded; there are %s".formatted(name, some));
  }

  private static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  List<String> names() {
    return names;
  }

  List<State> states() {
    return states;
  }

  /** The sentences about events that may be missing. */
  public List<String> warnings() {
    return warnings;
  }

  /** The receiver of the cuts. */
  private static final class Rows implements RowSink {
    private final int count;
    private final List<State> states = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private int first;

    Rows(int count) {
      this.count = count;
      List<StructValue> nothing = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        nothing.add(new StructValue(Map.of()));
      }
      states.add(new State(HlcTimestamp.MIN_PACKED, nothing));
    }

    @Override
    public void columns(List<Column> columns) {
      first = (int) columns.stream().takeWhile(Column::automatic).count();
    }

    @Override
    public boolean row(Row row) {
      List<StructValue> values = new ArrayList<>();
      for (Value value : row.values().subList(first, first + count)) {
        values.add(known(value));
      }
      if (!values.equals(states.get(states.size() - 1).values())) {
        if (states.size() == MAX_STATES) {
          throw new CommandException(
              ExitCode.USAGE,
              "there are more than %,d states, which are too many for TLC: name fewer variables"
                  .formatted(MAX_STATES));
        }
        states.add(new State(row.hlc(), values));
      }
      return true;
    }

    /** The values that are not NULL. */
    private static StructValue known(Value byNode) {
      Map<String, Value> known = new LinkedHashMap<>();
      if (byNode instanceof StructValue values) {
        values
            .fields()
            .forEach(
                (node, value) -> {
                  if (!(value instanceof NullValue)) {
                    known.put(node, value);
                  }
                });
      }
      return new StructValue(known);
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
