package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.EventSource.NodeInfo;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MomentaryVariables;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** SHOW, DESCRIBE and KILL: what there is, and what is to end. */
final class CatalogStatements {
  /** How often a long DESCRIBE, which reads the whole log, asks whether it is still wanted. */
  private static final int EVENTS_BETWEEN_QUESTIONS = 16_384;

  private final String text;
  private final EventSource.View view;
  private final RunningQueries running;

  CatalogStatements(String text, EventSource.View view, RunningQueries running) {
    this.text = text;
    this.view = view;
    this.running = running;
  }

  void run(Statement statement, RowSink sink) {
    if (statement instanceof Statement.Describe describe) {
      describe(describe.log(), sink);
      return;
    }
    if (statement instanceof Statement.KillQuery kill) {
      kill(kill, sink);
      return;
    }
    Statement.Show show = (Statement.Show) statement;
    switch (show.subject()) {
      case LOGS -> showLogs(sink);
      case NODES -> showNodes(sink);
      case ALIGNMENT -> showAlignment(sink);
      case QUERIES -> showQueries(sink);
      case VARIABLES -> showVariables(show, sink);
    }
  }

  private void showLogs(RowSink sink) {
    Table table = new Table(sink, "log", "variables", "events");
    for (LogInfo log : view.logs()) {
      table.row(
          Value.of(log.name()),
          Value.of((long) log.variables().size()),
          Value.of(log.eventCount()));
    }
  }

  private void showNodes(RowSink sink) {
    Table table = new Table(sink, "node", "events", "first", "last", "heldMicros");
    Map<String, Long> heldMicros = view.heldMicros();
    for (NodeInfo node : view.nodes()) {
      if (node.forgotten()) {
        continue;
      }
      Long held = heldMicros.get(node.name());
      table.row(
          Value.of(node.name()),
          Value.of(node.eventCount()),
          new TimestampValue(node.firstHlc()),
          new TimestampValue(node.lastHlc()),
          held == null ? NullValue.NULL : Value.of(held));
    }
  }

  private void showAlignment(RowSink sink) {
    sink.columns(AlignmentTable.COLUMNS);
    AlignmentTable.rows(view.clockOffsets()).forEach(sink::row);
  }

  private void showQueries(RowSink sink) {
    Table table = new Table(sink, "id", "query");
    running.all().forEach((id, query) -> table.row(Value.of(id), Value.of(query.text())));
  }

  private void kill(Statement.KillQuery kill, RowSink sink) {
    if (!running.kill(kill.id())) {
      throw new RqlException(
          text,
          List.of(
              ErrorCode.UNKNOWN_QUERY
                  .at(kill.range(), kill.id())
                  .withHelp("SHOW QUERIES; lists those that run")));
    }
    new Table(sink, "killed").row(Value.of(kill.id()));
  }

  private void showVariables(Statement.Show show, RowSink sink) {
    LikePattern like = LikePattern.of(show.like().orElse("%"));
    List<LogInfo> logs = show.log().isPresent() ? List.of(known(show.log().get())) : view.logs();
    Table table = new Table(sink, "log", "variable");
    for (LogInfo log : logs) {
      for (String variable : log.variables()) {
        if (like.matches(variable)) {
          table.row(Value.of(log.name()), Value.of(variable));
        }
      }
    }
  }

  /** What was ever written to each variable of a log. */
  private void describe(Identifier name, RowSink sink) {
    LogInfo log = known(name);
    Map<String, Writes> writes = new TreeMap<>();
    log.variables().forEach(variable -> writes.put(variable, new Writes()));
    Iterator<Event> events = view.scan(Set.of(log.name()), HlcRange.ALL);
    long read = 0;
    while (events.hasNext() && !(read % EVENTS_BETWEEN_QUESTIONS == 0 && sink.cancelled())) {
      Event event = events.next();
      read++;
      if (event.log().equals(log.name())) {
        count(event, writes);
      }
    }
    Table table = new Table(sink, "variable", "types", "nodes", "writes", "last");
    writes.forEach((variable, counted) -> counted.addTo(table, variable));
  }

  private static void count(Event event, Map<String, Writes> writes) {
    EventBody body = event.body();
    if (body instanceof EventBody.StateChange change) {
      change.changes().forEach(c -> write(writes, c, event));
    }
    MomentaryVariables.of(body).forEach((variable, value) -> flash(writes, variable, event, value));
  }

  /** What a log line or a message sets, unless a state change has written the name before. */
  private static void flash(Map<String, Writes> writes, String variable, Event event, Value value) {
    Writes counted = writes.computeIfAbsent(variable, v -> new Writes());
    if (!counted.ofState) {
      counted.add(event, value);
    }
  }

  private static void write(Map<String, Writes> writes, Change change, Event event) {
    if (change.operation() == Operation.UNSET) {
      state(writes, change.variable()).add(event);
    } else {
      write(writes, change.variable(), event, change.value());
    }
  }

  private static void write(Map<String, Writes> writes, String variable, Event event, Value value) {
    state(writes, variable).add(event, value);
  }

  private static Writes state(Map<String, Writes> writes, String variable) {
    Writes counted = writes.computeIfAbsent(variable, v -> new Writes());
    counted.ofState = true;
    return counted;
  }

  private LogInfo known(Identifier name) {
    return view.logs().stream()
        .filter(log -> log.name().equals(name.text()))
        .findFirst()
        .orElseThrow(() -> unknown(name));
  }

  private RqlException unknown(Identifier name) {
    Diagnostic diagnostic = ErrorCode.UNKNOWN_LOG.at(name.range(), name.text());
    List<String> names = view.logs().stream().map(LogInfo::name).toList();
    return new RqlException(
        text,
        List.of(
            names.isEmpty()
                ? diagnostic
                : diagnostic.withHelp("Logs here: " + String.join(", ", names))));
  }

  /** What is counted of one variable. */
  private static final class Writes {
    private final Set<String> types = new TreeSet<>();
    private final Set<String> nodes = new TreeSet<>();
    private boolean ofState;
    private long count;
    private long lastHlc;

    void add(Event event, Value value) {
      types.add(Types.name(value));
      add(event);
    }

    /** A write that leaves no value. */
    void add(Event event) {
      nodes.add(event.node());
      count++;
      lastHlc = event.hlc();
    }

    void addTo(Table table, String variable) {
      List<Value> typeNames = new ArrayList<>();
      types.forEach(type -> typeNames.add(Value.of(type)));
      table.row(
          Value.of(variable),
          new SetValue(typeNames),
          Value.of((long) nodes.size()),
          Value.of(count),
          count == 0 ? NullValue.NULL : new TimestampValue(lastHlc));
    }
  }

  /** A result without cuts. */
  static final class Table {
    private final RowSink sink;
    private int rows;

    Table(RowSink sink, String... columns) {
      this.sink = sink;
      sink.columns(Arrays.stream(columns).map(name -> new Column(name, false)).toList());
    }

    void row(Value... values) {
      sink.row(new Row(HlcTimestamp.MIN_PACKED, rows++, List.of(values), Optional.empty()));
    }
  }
}
