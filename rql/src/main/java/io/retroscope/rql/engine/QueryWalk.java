package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.CutListener;
import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.CutTime;
import io.retroscope.rql.cut.CutWalker;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.LiveNodes;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.WorkMeter;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One query in progress over the cuts of its range. Used by one thread. */
final class QueryWalk implements CutListener, Emissions.Outlet {
  private static final int STAMPS_BETWEEN_REPORTS = 16_384;

  private final String text;
  private final AnalyzedQuery analyzed;
  private final QueryLimits limits;
  private final RowSink sink;
  private final long start;
  private final boolean single;
  private final boolean followsRuns;
  private final boolean keepsState;
  private final Emitted emitted;
  private final WorkMeter work;
  private final long forMicros;
  private final long limit;
  private final CutState state;
  private final @Nullable LiveNodes liveNodes;
  private final CompiledQuery compiled;
  private final ResultColumns columns;
  private final Emit emit;
  private final CutWalker walker;
  private final AgeTimers ageTimers;

  private final Questions questions;
  private final Deadlines deadlines = new Deadlines();

  private ClockOffsets clockOffsets = ClockOffsets.UNKNOWN;
  private SortedSet<String> silent = new TreeSet<>();
  private final SortedSet<String> everMissing = new TreeSet<>(NaturalOrder.INSTANCE);
  private final GapWarnings gapWarnings;
  private final CaveatWarnings caveatWarnings;
  private boolean finished;
  private long rows;
  private long cuts;
  private long stamps;
  private int heldRows;
  private long skipped;
  private long ordinalHlc;
  private int ordinal;

  /**
   * Creates a walk that has not begun.
   *
   * @param single whether the range has only one cut, at its start, which is always evaluated
   * @param resumed the place up to which rows have been sent already
   */
  QueryWalk(
      String text,
      AnalyzedQuery analyzed,
      QueryLimits limits,
      long start,
      boolean single,
      Optional<StreamPlace> resumed,
      RowSink sink) {
    Statement.Query query = analyzed.query();
    this.text = text;
    this.analyzed = analyzed;
    this.limits = limits;
    this.sink = sink;
    this.work = new WorkMeter(sink::cancelled);
    this.gapWarnings = new GapWarnings(sink);
    this.start = start;
    this.single = single;
    this.forMicros = query.when().map(w -> w.forMicros().orElse(0)).orElse(0L);
    this.limit = query.limit().orElse(Long.MAX_VALUE);
    this.emit = analyzed.emit();
    this.followsRuns = emit != Emit.CUTS || forMicros > 0;
    this.keepsState = analyzed.hasGlobals();
    this.emitted = new Emitted(start, keepsState || query.limit().isPresent(), resumed);
    this.state = new CutState(new LinkedHashSet<>(analyzed.onlyNodes()));
    this.caveatWarnings = new CaveatWarnings(sink, state::counts);
    this.liveNodes =
        query.nodes() instanceof Statement.NodeScope.Live
            ? new LiveNodes(state, limits.idleTimeoutMicros())
            : null;
    this.columns = new ResultColumns(analyzed, emit, query.stream() || liveNodes != null);
    Translator translator = Translator.over(state, analyzed, limits);
    this.compiled = new CompiledQuery(analyzed, translator);
    this.ageTimers = AgeTimers.of(analyzed, translator);
    this.finished = limit == 0;
    Set<String> logs = new LinkedHashSet<>();
    query.logs().forEach(log -> logs.add(log.text()));
    this.walker =
        new CutWalker(
            state,
            logs,
            AgeSearch.asksAges(query.expressions()),
            start,
            ageTimers,
            liveNodes,
            this);
    this.questions = new Questions(analyzed, state, this::question);
  }

  /**
   * Walks a window of history from its start to its end.
   *
   * @param window empty if nothing is stored
   */
  static QueryWalk overHistory(
      PreparedQuery query,
      QueryLimits limits,
      Optional<TimeWindow> window,
      EventSource.View view,
      RowSink sink) {
    long start = window.map(w -> w.range().from()).orElse(HlcTimestamp.MIN_PACKED);
    boolean single = window.map(TimeWindow::single).orElse(false);
    QueryWalk walk =
        new QueryWalk(query.text(), query.query(), limits, start, single, Optional.empty(), sink);
    walk.begin();
    if (window.isPresent()) {
      long end = window.get().range().to();
      walk.advance(view, end);
      walk.end(end);
    }
    return walk;
  }

  /** Sends the columns, which precede everything else. */
  void begin() {
    sink.columns(columns.columns());
  }

  /** Sets the nodes that the watermark leaves out, starting with the cuts of the next advance. */
  void setSilent(SortedSet<String> nodes) {
    silent = nodes;
  }

  /** Applies the events that a node recorded while it was left out. */
  void catchUp(EventSource.View view, String node, HlcRange range) {
    gapWarnings.check(view, range);
    walker.catchUp(view, node, range);
  }

  String text() {
    return text;
  }

  long position() {
    return walker.position();
  }

  /** Walks up to and including a stamp; returns whether more rows are wanted. */
  boolean advance(EventSource.View view, long until) {
    clockOffsets = view.clockOffsets();
    HlcRange range = new HlcRange(Math.min(walker.position(), until), until);
    gapWarnings.check(view, range);
    long from = Math.max(start, walker.position());
    if (!finished && from <= until) {
      caveatWarnings.check(view, new HlcRange(from, until));
    }
    try {
      finished |= finished || !walker.advance(view, until);
    } catch (WorkMeter.CancelledException e) {
      finished = true;
    }
    gapWarnings.checkSource(view, range);
    return !finished;
  }

  /** Ends the range; runs that still hold remain open. */
  void end(long hlc) {
    for (Question question : questions.all()) {
      if (!finished) {
        question.run().endOfRange(hlc);
      }
    }
    close();
  }

  /** Sends the final warning. */
  void close() {
    if (skipped > 0) {
      sink.warning(skipped + (skipped == 1 ? " cut was" : " cuts were") + " skipped in all");
      skipped = 0;
    }
  }

  long cuts() {
    return cuts;
  }

  StreamPlace place() {
    return emitted.place();
  }

  long rows() {
    return rows;
  }

  long eventsRead() {
    return walker.eventsRead();
  }

  @Override
  public boolean start(long hlc) {
    emitted.reached(hlc);
    if (single || followsRuns) {
      cuts += single ? 1 : 0;
      ask(questions.all(), hlc, question -> !single);
    }
    return !finished;
  }

  @Override
  public boolean cut(long hlc) {
    cuts++;
    List<Question> touched = questions.touchedBy(state.touched(), ageTimers.turned());
    if (hlc == start && questions.areSeveral() && (single || followsRuns)) {
      // Questions that the cut at the start does not touch are evaluated with the state there.
      Set<Question> own = new HashSet<>(touched);
      ask(questions.all(), hlc, question -> !single && !own.contains(question));
    } else {
      ask(touched, hlc, question -> false);
    }
    return !finished;
  }

  @Override
  public boolean reached(long hlc) {
    Question due = finished ? null : deadlines.poll(hlc);
    while (due != null) {
      emitted.reached(deadlines.lastHlc());
      due.run().reached(hlc);
      deadlines.await(due);
      due = finished ? null : deadlines.poll(hlc);
    }
    emitted.reached(hlc);
    if (++stamps % STAMPS_BETWEEN_REPORTS == 0) {
      if (hlc > start) {
        // The cut at this stamp is still to come.
        sink.place(emitted.place());
        sink.progress(cuts, hlc - 1);
      }
      finished |= sink.cancelled();
    }
    return !finished;
  }

  @Override
  public boolean isCancelled() {
    return sink.cancelled();
  }

  @Override
  public void warning(String message) {
    sink.warning(message);
  }

  @Override
  public void send(Row row) {
    if (finished) {
      return;
    }
    rows++;
    boolean wanted = true;
    if (emitted.add()) {
      sink.place(emitted.place());
      wanted = sink.row(row);
    }
    finished = !wanted || rows >= limit;
  }

  @Override
  public void held(int count) {
    heldRows += count;
    if (heldRows > limits.maxHeldRows()) {
      throw new EvaluationException(ErrorCode.TOO_MANY_HELD_ROWS, limits.maxHeldRows());
    }
  }

  private Question question(@Nullable VariableColumn variable) {
    if (variable != null && questions.count() >= limits.maxVariables()) {
      throw failure(
          new EvaluationException(ErrorCode.TOO_MANY_VARIABLES, limits.maxVariables())
              .at(analyzed.query().forEach().orElseThrow().range()));
    }
    Frame frame = new Frame(state, liveNodes, variable, compiled.slotCount(), work);
    Question question =
        new Question(variable, frame, new Run(Emissions.of(emit, columns, this), forMicros));
    ageTimers.watch(question);
    return question;
  }

  private void ask(List<Question> all, long hlc, Predicate<Question> atStart) {
    for (Question question : all) {
      if (!finished) {
        work.add(1);
        orSkip(question, () -> askOne(question, hlc, atStart.test(question)));
      }
    }
    if (followsRuns && state.hasMomentary()) {
      for (Question question : all) {
        if (!finished && question.run().heldAt(hlc)) {
          orSkip(question, () -> endIfMomentary(question, hlc));
        }
      }
    }
  }

  /** Evaluates a question. An error ends the query or, with ON ERROR SKIP, leaves the cut out. */
  private void orSkip(Question question, Runnable asking) {
    boolean skips = analyzed.query().onErrorSkip();
    Value[] declared = skips ? compiled.declared(question.frame()) : new Value[0];
    try {
      asking.run();
    } catch (EvaluationException e) {
      if (!skips || e.isLimit()) {
        throw failure(e);
      }
      compiled.restore(question.frame(), declared);
      if (skipped++ == 0) {
        sink.warning("skipped: " + e.inCut(cutText()).message());
      }
    }
  }

  private void askOne(Question question, long hlc, boolean atStart) {
    Frame frame = question.frame();
    frame.setClockOffsets(clockOffsets);
    frame.beginCut();
    Run run = question.run();
    SortedSet<String> missing = missing();
    if (compiled.holds(frame)) {
      CutRow row = run.wantsRow(atStart) ? row(frame, hlc, missing) : null;
      if (followsRuns && !run.holds()) {
        emitted.runBegan(hlc);
      }
      run.holdsAt(hlc, row, missing, atStart);
      deadlines.await(question);
    } else if (run.holds()) {
      end(question, hlc, missing);
    }
  }

  private void end(Question question, long hlc, SortedSet<String> missing) {
    CutRow row = question.run().wantsEnd() ? row(question.frame(), hlc, missing) : null;
    if (followsRuns) {
      emitted.runEnded(question.run().startHlc());
    }
    question.run().endsAt(hlc, time(hlc), missing, row);
  }

  /**
   * Momentary values disappear after their stamp, so a run that depends on one ends where it began.
   */
  private void endIfMomentary(Question question, long hlc) {
    Frame frame = question.frame();
    frame.beginCut();
    Value[] declared = compiled.declared(frame);
    state.showMomentary(false);
    boolean stillHolds;
    try {
      stillHolds = compiled.stillHolds(frame);
    } catch (EvaluationException e) {
      stillHolds = false;
    }
    state.showMomentary(true);
    compiled.restore(frame, declared);
    if (!stillHolds) {
      end(question, hlc, missing());
    }
  }

  private CutRow row(Frame frame, long hlc, SortedSet<String> missing) {
    List<Value> items = compiled.items(frame);
    var note = compiled.note(frame);
    return new CutRow(hlc, nextOrdinal(hlc), time(hlc), items, note, missing);
  }

  private CutTime time(long hlc) {
    return state.origin().time(hlc, clockOffsets);
  }

  private int nextOrdinal(long hlc) {
    if (hlc != ordinalHlc) {
      ordinalHlc = hlc;
      ordinal = 0;
    }
    return ordinal++;
  }

  private SortedSet<String> missing() {
    SortedSet<String> missing = liveNodes == null ? silent : liveNodes.silent();
    if (!keepsState) {
      return missing;
    }
    everMissing.addAll(missing);
    return new TreeSet<>(everMissing);
  }

  private String cutText() {
    return ", in the cut at " + new HlcTimestamp(state.hlc());
  }

  private RqlException failure(EvaluationException e) {
    Diagnostic diagnostic = e.at(analyzed.query().range()).inCut(cutText());
    return new RqlException(text, List.of(diagnostic));
  }
}
