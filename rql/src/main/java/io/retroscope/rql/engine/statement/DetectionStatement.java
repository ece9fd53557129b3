// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalyzedDetection;
import io.retroscope.rql.analysis.OutputColumn;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Completeness;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.engine.completeness.CaveatWarnings;
import io.retroscope.rql.engine.completeness.Horizon;
import io.retroscope.rql.engine.completeness.ReadEvents;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.lattice.Detected;
import io.retroscope.rql.lattice.Detector;
import io.retroscope.rql.plan.TimeWindow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/** The statements POSSIBLY and DEFINITELY, and their EXPLAIN. */
public final class DetectionStatement {
  private static final String NOTHING = "nothing that it names was recorded in the range";

  private final String text;
  private final AnalyzedDetection detection;
  private final EventSource.View view;
  private final Horizon horizon;
  private final QueryLimits limits;

  /**
   * Creates the execution of a statement.
   *
   * @param view all events
   * @param horizon how far they are complete
   */
  public DetectionStatement(
      String text,
      AnalyzedDetection detection,
      EventSource.View view,
      Horizon horizon,
      QueryLimits limits) {
    this.text = text;
    this.detection = detection;
    this.view = view;
    this.horizon = horizon.of(detection.walk());
    this.limits = limits;
  }

  /**
   * Sends the answer, or the plan.
   *
   * @param nanos a clock for the execution time
   */
  public void run(RowSink sink, LongSupplier nanos) {
    Statement.Query walk = detection.walk().query();
    Optional<TimeWindow> named = TimeWindow.of(text, walk, view.history(), horizon.now());
    Optional<HlcRange> range = named.flatMap(horizon::complete).map(TimeWindow::range);
    Optional<Detector> detector =
        range.map(found -> new Detector(detection, text, limits, view, found, sink::cancelled));
    try {
      if (detection.query().explain() == Statement.Explain.NO) {
        answer(named, range, detector, sink);
      } else {
        explain(detector, named, range, sink, nanos);
      }
    } catch (WorkMeter.CancelledException e) {
      // The row is not wanted any more; a statement that was killed ends with its own error.
    }
  }

  private void answer(
      Optional<TimeWindow> named,
      Optional<HlcRange> range,
      Optional<Detector> detector,
      RowSink sink) {
    sink.columns(detection.columns().stream().map(OutputColumn::column).toList());
    detection.walk().warningsAtOneCut().forEach(sink::warning);
    Set<String> sent = new HashSet<>();
    if (named.map(all -> horizon.isBefore(all.range().to())).orElse(false)) {
      sent.add(horizon.sentence());
      sink.warning(horizon.sentence());
    }
    if (detector.isEmpty()) {
      sink.warning(NOTHING);
      send(NullValue.NULL, NullValue.NULL, NullValue.NULL, sink);
      return;
    }
    new CaveatWarnings(sink, node -> true, false).check(view, range.get());
    Detected detected = detector.get().detect(completeness(named, range.get()));
    view.overlaps(range.get()).forEach(overlap -> sent.add(overlap.sentence()));
    detected.warnings().stream().filter(sent::add).forEach(sink::warning);
    Value answer = detected.answer().<Value>map(Value::of).orElse(NullValue.NULL);
    send(answer, detected.cut(), detected.messages(), sink);
  }

  private static void send(Value answer, Value cut, Value messages, RowSink sink) {
    List<Value> values = List.of(answer, cut, messages);
    sink.row(new Row(HlcTimestamp.MIN_PACKED, 0, values, Optional.empty()));
  }

  /** The known reasons for doubt; messages may be of any node. */
  private Completeness completeness(Optional<TimeWindow> named, HlcRange range) {
    Completeness known =
        new ReadEvents(
                detection.walk(), named, horizon, new SilenceLimits(limits.idleTimeoutMicros()))
            .completenessOfAll(range);
    return known.and(ends(named));
  }

  /** The reasons why the range may miss events at its ends. */
  private List<Incompleteness> ends(Optional<TimeWindow> named) {
    List<Incompleteness> reasons = new ArrayList<>();
    boolean given = detection.walk().query().onTime().isPresent();
    if (!given || named.isEmpty()) {
      return reasons;
    }
    HlcRange range = named.get().range();
    view.history()
        .filter(stored -> range.from() < stored.from())
        .ifPresent(
            stored -> reasons.add(new Incompleteness.BeforeHistory(range.from(), stored.from())));
    if (horizon.isBefore(range.to())) {
      reasons.add(horizon.reason());
    }
    return reasons;
  }

  private void explain(
      Optional<Detector> detector,
      Optional<TimeWindow> named,
      Optional<HlcRange> range,
      RowSink sink,
      LongSupplier nanos) {
    CatalogStatements.Table table = new CatalogStatements.Table(sink, "plan");
    if (detector.isEmpty()) {
      table.row(Value.of("nothing: no event is stored in the range"));
      return;
    }
    detector.get().plan().forEach(line -> table.row(Value.of(line)));
    if (detection.query().explain() == Statement.Explain.ANALYZE) {
      long start = nanos.getAsLong();
      Detected detected = detector.get().detect(completeness(named, range.orElseThrow()));
      long micros = (nanos.getAsLong() - start) / 1_000;
      detected.warnings().forEach(sink::warning);
      detected.figures().forEach(line -> table.row(Value.of(line)));
      table.row(Value.of("time: " + Literals.duration(micros)));
    }
  }
}
