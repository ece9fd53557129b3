// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.LogWrites.Writes;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.LikePattern;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The statements SHOW, DESCRIBE and KILL. */
public final class CatalogStatements {
  private static final int MAX_WARNINGS = 20;

  private final String text;
  private final EventSource.View view;
  private final RunningQueries running;

  /**
   * Creates the execution of a statement.
   *
   * @param running the statements in progress, for SHOW QUERIES and KILL QUERY
   */
  public CatalogStatements(String text, EventSource.View view, RunningQueries running) {
    this.text = text;
    this.view = view;
    this.running = running;
  }

  /** Executes SHOW of anything but alerts. */
  public void show(Statement.Show show, RowSink sink) {
    switch (show.subject()) {
      case LOGS -> showLogs(sink);
      case NODES -> showNodes(sink);
      case ALIGNMENT -> showAlignment(sink);
      case QUERIES -> showQueries(sink);
      case VARIABLES -> showVariables(show, sink);
      case ALERTS -> throw new AssertionError("alerts are not in the catalog");
    }
  }

  private void showLogs(RowSink sink) {
    Table table = new Table(sink, "log", "variables", "events");
    for (LogDescription log : view.logs()) {
      table.row(
          Value.of(log.name()),
          Value.of((long) log.variables().size()),
          Value.of(log.eventCount()));
    }
  }

  private void showNodes(RowSink sink) {
    Table table = new Table(sink, "node", "events", "first", "last", "heldMicros", "overlaps");
    Map<String, Long> heldMicros = view.heldMicros();
    List<Overlap> overlaps = view.overlaps(HlcRange.ALL);
    for (NodeDescription node : view.nodes()) {
      if (node.forgotten()) {
        continue;
      }
      Long held = heldMicros.get(node.name());
      long shared = overlaps.stream().filter(o -> o.node().equals(node.name())).count();
      table.row(
          Value.of(node.name()),
          Value.of(node.eventCount()),
          new TimestampValue(node.firstHlc()),
          new TimestampValue(node.lastHlc()),
          held == null ? NullValue.NULL : Value.of(held),
          shared == 0 ? NullValue.NULL : Value.of(shared));
    }
    overlaps.stream().limit(MAX_WARNINGS).map(Overlap::sentence).forEach(sink::warning);
  }

  private void showAlignment(RowSink sink) {
    sink.columns(AlignmentTable.COLUMNS);
    AlignmentTable.rows(view.clockOffsets()).forEach(sink::row);
    view.reasons(HlcRange.ALL).stream()
        .filter(CatalogStatements::isOfClocks)
        .limit(MAX_WARNINGS)
        .map(Incompleteness::sentence)
        .forEach(sink::warning);
  }

  private static boolean isOfClocks(Incompleteness reason) {
    return reason instanceof Incompleteness.Ahead || reason instanceof Incompleteness.Contradicting;
  }

  private void showQueries(RowSink sink) {
    Table table = new Table(sink, "id", "query");
    running.all().forEach((id, query) -> table.row(Value.of(id), Value.of(query.text())));
  }

  /**
   * Executes KILL QUERY.
   *
   * @throws RqlException if no such statement is running
   */
  public void kill(Statement.KillQuery kill, RowSink sink) {
    if (!running.kill(kill.id())) {
      throw new RqlException(
          text,
          List.of(
              ErrorCode.UNKNOWN_QUERY
                  .at(kill.range(), kill.id())
                  .withHelp("SHOW QUERIES; lists the running queries")));
    }
    new Table(sink, "killed").row(Value.of(kill.id()));
  }

  private void showVariables(Statement.Show show, RowSink sink) {
    LikePattern like = LikePattern.of(show.like().orElse("%"));
    List<LogDescription> logs =
        show.log().isPresent() ? List.of(known(show.log().get())) : view.logs();
    Table table = new Table(sink, "log", "variable");
    for (LogDescription log : logs) {
      for (String variable : log.variables()) {
        if (like.matches(variable)) {
          table.row(Value.of(log.name()), Value.of(variable));
        }
      }
    }
  }

  /** Lists each variable of a log with its writes. */
  public void describe(Statement.Describe statement, RowSink sink) {
    LogDescription log = known(statement.log());
    Map<String, Writes> writes = view.writes(log.name(), sink::cancelled).byVariable();
    Set<String> variables = new TreeSet<>(log.variables());
    variables.addAll(writes.keySet());
    Table table = new Table(sink, "variable", "types", "nodes", "writes", "last");
    for (String variable : variables) {
      Writes written = writes.getOrDefault(variable, new Writes());
      table.row(
          Value.of(variable),
          new SetValue(written.types().stream().map(Value::of).map(Value.class::cast).toList()),
          Value.of(written.nodeCount()),
          Value.of(written.count()),
          written.count() == 0 ? NullValue.NULL : new TimestampValue(written.lastHlc()));
    }
  }

  /** Checks the names in a statement. */
  public void check(Statement.Show show) {
    show.log().ifPresent(this::known);
  }

  /** Checks the name in a statement. */
  public void check(Statement.Describe describe) {
    LogDescription unused = known(describe.log());
  }

  private LogDescription known(Identifier name) {
    return view.logs().stream()
        .filter(log -> log.name().equals(name.text()))
        .findFirst()
        .orElseThrow(() -> unknown(name));
  }

  private RqlException unknown(Identifier name) {
    Diagnostic diagnostic = ErrorCode.UNKNOWN_LOG.at(name.range(), name.text());
    List<String> names = view.logs().stream().map(LogDescription::name).toList();
    return new RqlException(
        text,
        List.of(
            names.isEmpty()
                ? diagnostic
                : diagnostic.withHelp("Logs here: " + String.join(", ", names))));
  }

  /** A result without cuts. */
  public static final class Table {
    private final RowSink sink;
    private int rows;

    /** Sends the columns, by their names. */
    public Table(RowSink sink, String... columns) {
      this.sink = sink;
      sink.columns(Arrays.stream(columns).map(name -> new Column(name, false)).toList());
    }

    /** Sends a row, with a value for each column. */
    public void row(Value... values) {
      sink.row(new Row(HlcTimestamp.MIN_PACKED, rows++, List.of(values), Optional.empty()));
    }
  }
}
