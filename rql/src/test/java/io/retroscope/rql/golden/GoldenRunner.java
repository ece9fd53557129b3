// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.golden;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LoneStream;
import io.retroscope.rql.evaluation.EvaluationLimits;
import io.retroscope.rql.evaluation.LatticeLimits;
import io.retroscope.rql.evaluation.OuterLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.oracle.SlicedSource;
import io.retroscope.rql.parser.ParseLimits;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A runner that prints the result of one golden case as the shell would. */
final class GoldenRunner {
  /** Small limits, so that cases can reach them. */
  private static final QueryLimits LIMITS =
      new QueryLimits(
              ParseLimits.DEFAULT,
              AnalysisLimits.DEFAULT,
              new OuterLimits(12, 4_000),
              new EvaluationLimits(10_000, 1_000, 1_000, 20, 10),
              1_000_000,
              1)
          .with(new LatticeLimits(24, 20_000));

  private final StringWriter text = new StringWriter();
  private final PrintWriter out = new PrintWriter(text);
  private final ResultPrinter printer = OutputFormat.ALIGNED.printer(out, 100, false);

  static String answer(EventNotation log, String query) {
    return answer(log, query, new QueryEngine(log.source(), LIMITS));
  }

  /** The errors of the check of a statement as the shell would print them; empty without any. */
  static String checked(EventNotation log, String query) {
    try {
      PreparedQuery unused = new QueryEngine(log.source(), LIMITS).check(query);
      return "";
    } catch (RqlException e) {
      return DiagnosticPrinter.print(e).stripTrailing();
    }
  }

  /**
   * The answer of a walk by several threads.
   *
   * @param eventsPerSlice the number of events between two borders
   */
  static String answerInSlices(EventNotation log, String query, int eventsPerSlice) {
    List<Event> events = log.events();
    List<Long> borders =
        IntStream.range(1, events.size())
            .filter(i -> i % eventsPerSlice == 0)
            .mapToObj(i -> events.get(i).hlc())
            .toList();
    EventSource source = new SlicedSource(log.source(), borders, () -> {}, from -> {});
    return answer(log, query, EngineRules.inSlices(new QueryEngine(source, LIMITS)));
  }

  private static String answer(EventNotation log, String query, QueryEngine engine) {
    GoldenRunner runner = new GoldenRunner();
    runner.run(log, query, engine);
    runner.out.flush();
    return runner
        .text
        .toString()
        .stripTrailing()
        .lines()
        .map(String::stripTrailing)
        .reduce((a, b) -> a + "\n" + b)
        .orElse("");
  }

  private void run(EventNotation log, String query, QueryEngine engine) {
    Sink sink = new Sink();
    try {
      PreparedQuery prepared = engine.prepare(query);
      if (prepared.isStream()) {
        live(engine, prepared, log, sink);
      } else {
        engine.run(prepared, sink);
      }
      sink.end();
    } catch (RqlException e) {
      sink.fail();
      out.print(DiagnosticPrinter.print(e));
    }
  }

  /** Runs a STREAM from before the first event, with a separate advance for each stamp. */
  private void live(QueryEngine engine, PreparedQuery query, EventNotation log, Sink sink) {
    TreeSet<Long> stamps = new TreeSet<>();
    log.events().stream().map(Event::hlc).forEach(stamps::add);
    try (EventSource.View view = log.source().open();
        LoneStream walk =
            LoneStream.open(engine, query, view, watermark(stamps.first() - 1), sink)) {
      for (long stamp : stamps) {
        if (!walk.advance(view, watermark(stamp))) {
          return;
        }
      }
    }
  }

  private static Watermark watermark(long hlc) {
    return new Watermark(hlc, new TreeSet<>());
  }

  private final class Sink implements RowSink {
    private final List<String> warnings = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private boolean begun;
    private int rows;

    @Override
    public void columns(List<Column> columns) {
      begun = true;
      printer.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      rows++;
      printer.row(row);
      row.note()
          .ifPresent(
              note ->
                  notes.add(
                      "%s: %s note %d velocity %d length %dus%s"
                          .formatted(
                              new HlcTimestamp(row.hlc()),
                              note.instrument(),
                              note.note(),
                              note.velocity(),
                              note.lengthMicros(),
                              note.pan() == 0 ? "" : " pan " + note.pan())));
      return true;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    /** A statement that fails before its first row prints no empty table. */
    void fail() {
      begun &= rows > 0;
      end();
    }

    void end() {
      if (begun) {
        printer.end();
      }
      warnings.forEach(warning -> out.println("warning: " + warning));
      notes.forEach(out::println);
    }
  }
}
