// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedDetection;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.completeness.Horizon;
import io.retroscope.rql.engine.completeness.UnknownNames;
import io.retroscope.rql.engine.history.Explanation;
import io.retroscope.rql.engine.history.SelectedHistory;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.engine.history.SharedHistory;
import io.retroscope.rql.engine.live.LiveGroup;
import io.retroscope.rql.engine.live.LiveOutput;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.live.LiveWalk;
import io.retroscope.rql.engine.slice.SliceAnswer;
import io.retroscope.rql.engine.slice.SliceRequest;
import io.retroscope.rql.engine.statement.AlertRegister;
import io.retroscope.rql.engine.statement.AlertStatements;
import io.retroscope.rql.engine.statement.CatalogStatements;
import io.retroscope.rql.engine.statement.DetectionStatement;
import io.retroscope.rql.engine.statement.ExplainCutStatement;
import io.retroscope.rql.engine.statement.ForgetStatement;
import io.retroscope.rql.engine.statement.NodeRegister;
import io.retroscope.rql.engine.statement.ReadStatements;
import io.retroscope.rql.engine.statement.RunningQueries;
import io.retroscope.rql.engine.statement.StackGuard;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** An engine that executes statements over one source of events. Thread-safe. */
public final class QueryEngine {
  private final EventSource source;
  private final QueryLimits limits;
  private final Optional<Present> present;
  private final Optional<NodeRegister> nodes;
  private final Optional<AlertRegister> alerts;
  private final Walking walking;
  private final ReadStatements statements;

  /** Creates an engine over a file; NOW is the stamp of its last event. */
  public QueryEngine(EventSource source, QueryLimits limits) {
    this(source, limits, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Creates an engine for a server, which receives further events and can forget nodes. */
  public QueryEngine(EventSource source, QueryLimits limits, Present present, NodeRegister nodes) {
    this(source, limits, Optional.of(present), Optional.of(nodes), Optional.empty());
  }

  /** Creates an engine for a server that also evaluates alerts. */
  public QueryEngine(
      EventSource source,
      QueryLimits limits,
      Present present,
      NodeRegister nodes,
      AlertRegister alerts) {
    this(source, limits, Optional.of(present), Optional.of(nodes), Optional.of(alerts));
  }

  private QueryEngine(
      EventSource source,
      QueryLimits limits,
      Optional<Present> present,
      Optional<NodeRegister> nodes,
      Optional<AlertRegister> alerts) {
    this(source, limits, present, nodes, alerts, Walking.of(limits));
  }

  private QueryEngine(
      EventSource source,
      QueryLimits limits,
      Optional<Present> present,
      Optional<NodeRegister> nodes,
      Optional<AlertRegister> alerts,
      Walking walking) {
    this.walking = walking;
    this.nodes = nodes;
    this.alerts = alerts;
    this.source = source;
    this.limits = limits;
    this.present = present;
    this.statements = new ReadStatements(limits.parse());
  }

  /** Creates an engine over the same source that walks in another way. */
  QueryEngine with(UnaryOperator<Walking> change) {
    return new QueryEngine(source, limits, present, nodes, alerts, change.apply(walking));
  }

  /**
   * Returns the same engine with verdicts that take silent nodes and missing blocks to hold
   * nothing. A warning of each says so.
   */
  public QueryEngine assumingComplete() {
    return with(Walking::assumingComplete);
  }

  /**
   * Parses and checks one statement.
   *
   * @throws RqlException with every independent error
   */
  public PreparedQuery prepare(String rql) {
    return prepare(read(rql));
  }

  /**
   * Parses one statement as far as possible; a short text that was parsed lately is not parsed
   * again.
   *
   * @throws RqlException if its parts are nested too deeply
   */
  public ParsedStatement read(String rql) {
    return StackGuard.guarded(rql, () -> statements.of(rql));
  }

  /**
   * Checks one statement that is parsed already.
   *
   * @throws RqlException with every independent error
   */
  public PreparedQuery prepare(ParsedStatement reading) {
    try (OpenQuery.Moment moment = moment()) {
      return prepare(reading, moment);
    }
  }

  /**
   * Parses and checks one statement for one run over the same events.
   *
   * @throws RqlException with every independent error
   */
  public OpenQuery open(String rql) {
    OpenQuery.Moment moment = moment();
    try {
      return new OpenQuery(prepare(read(rql), moment), moment);
    } catch (RuntimeException | Error e) {
      moment.close();
      throw e;
    }
  }

  private OpenQuery.Moment moment() {
    return new OpenQuery.Moment(source, this::completeHlc);
  }

  private PreparedQuery prepare(ParsedStatement reading, OpenQuery.Moment moment) {
    return StackGuard.guarded(reading.text(), () -> prepareUnguarded(reading, moment));
  }

  private PreparedQuery prepareUnguarded(ParsedStatement reading, OpenQuery.Moment moment) {
    Supplier<Analyzer> analyzer =
        () -> new Analyzer(Catalog.of(moment.view()), limits.analysis(), reading.declared());
    if (!reading.problems().isEmpty()) {
      throw new RqlException(reading.text(), problems(reading, analyzer));
    }
    return reading
        .statement()
        .orElseThrow()
        .accept(new Preparation(reading.text(), analyzer, limits.analysis()));
  }

  /**
   * Checks one statement as far as that is possible without reading events.
   *
   * @throws RqlException with every independent error that a run would end with before its first
   *     cut
   */
  public PreparedQuery check(String rql) {
    PreparedQuery query = prepare(rql);
    try (EventSource.View view = source.open()) {
      Horizon known = horizon(completeHlc(), view);
      if (query.isSelection() && !query.isStream()) {
        SelectedHistory unused =
            SelectedHistory.of(rql, query.selection(), known, limits, walking.rules());
      } else if (query.statement() instanceof Statement.Show show) {
        new CatalogStatements(rql, view, walking.running()).check(show);
      } else if (query.statement() instanceof Statement.Describe describe) {
        new CatalogStatements(rql, view, walking.running()).check(describe);
      }
    }
    return query;
  }

  /** The limits of its queries. */
  public QueryLimits limits() {
    return limits;
  }

  /** Runs a statement with full authority. */
  public void run(PreparedQuery query, RowSink sink) {
    run(query, Authority.ADMIN, sink);
  }

  /**
   * Runs a statement over all events stored at present and sends its rows to the sink.
   *
   * @throws RqlException if it is a STREAM, needs more authority, or fails in a cut
   */
  public void run(PreparedQuery query, Authority authority, RowSink sink) {
    run(query, authority, "", sink);
  }

  /**
   * Runs a statement of a sender with a name, which statements about alerts record.
   *
   * @throws RqlException as the other {@code run}
   */
  public void run(PreparedQuery query, Authority authority, String sender, RowSink sink) {
    try (OpenQuery.Moment moment = moment()) {
      run(new OpenQuery(query, moment), authority, sender, sink);
    }
  }

  /**
   * Runs a statement over the events by which an engine over the same source has checked it.
   *
   * @throws RqlException as the other {@code run}
   */
  public void run(OpenQuery open, Authority authority, String sender, RowSink sink) {
    PreparedQuery query = open.query();
    check(query, authority);
    try (RunningQueries.Ticket ticket =
        walking.running().enter(query.text(), query.statement().range())) {
      EventSource.View view = open.moment().view();
      OptionalLong complete = open.moment().completeHlc();
      ticket.begin();
      StackGuard.guarded(
          query.text(),
          () -> {
            Horizon known = horizon(complete, view);
            return query
                .statement()
                .accept(new Execution(query, view, known, ticket.watched(sink), sender));
          });
      ticket.checkAlive();
    }
  }

  private static void check(PreparedQuery query, Authority authority) {
    if (authority.compareTo(query.needs()) < 0) {
      throw new RqlException(
          query.text(),
          List.of(ErrorCode.NOT_ALLOWED.at(query.statement().range(), "this statement")));
    }
    if (query.isStream()) {
      throw new RqlException(
          query.text(),
          List.of(
              ErrorCode.NOTHING_LIVE
                  .at(query.statement().range())
                  .withHelp("omit STREAM to query the stored events")));
    }
  }

  /**
   * The horizon of a view.
   *
   * @param before the stamp up to which everything was stored before the view was opened
   */
  private Horizon horizon(OptionalLong before, EventSource.View view) {
    OptionalLong complete =
        present.stream().mapToLong(p -> p.completeHlc(view, before.orElseThrow())).findFirst();
    return new Horizon(complete, view, () -> now(view), walking.assumesComplete());
  }

  private OptionalLong completeHlc() {
    return present.stream().mapToLong(Present::completeHlc).findFirst();
  }

  /**
   * Checks several queries of past events and runs them with full authority, in one pass over the
   * events. Each gets the rows, the warnings and the error of its own run; those with the same
   * logs, variables, nodes and range share one walk.
   *
   * @param sinks the receivers of their answers, in the same order
   * @throws IllegalArgumentException if one of them is no query, or is explained
   */
  public SharedAnswers runTogether(List<ParsedStatement> queries, List<RowSink> sinks) {
    OptionalLong complete = completeHlc();
    try (EventSource.View view = source.open()) {
      Horizon known = horizon(complete, view);
      SharedHistory history = new SharedHistory(known, limits, walking.rules(), walking.running());
      for (int i = 0; i < queries.size(); i++) {
        ParsedStatement query = queries.get(i);
        RowSink sink = sinks.get(i);
        history.add(query.text(), () -> selectionOf(query, sink), sink);
      }
      return history.run(System::nanoTime);
    }
  }

  /** Checks a query of past events; runs it now, and returns nothing, if it is a detection. */
  private Optional<AnalyzedSelection> selectionOf(ParsedStatement reading, RowSink sink) {
    PreparedQuery query = prepare(reading);
    check(query, Authority.ADMIN);
    if (query.statement() instanceof Statement.Detection) {
      run(query, sink);
      return Optional.empty();
    }
    if (!(query.statement() instanceof Statement.Selection selection)
        || selection.explain() != Statement.Explain.NO) {
      throw new IllegalArgumentException("not a query: " + query.text());
    }
    return Optional.of(query.selection());
  }

  /**
   * Walks a slice for the query of an engine in another process.
   *
   * @param request of {@link io.retroscope.rql.cut.Slicing.Host#walk}
   * @param view all events of that query's view
   * @param out receives the answer, and is flushed often
   * @throws IOException if the request cannot be understood, or the answer cannot be sent
   * @throws RqlException if the statement cannot be understood here
   */
  public void walkSlice(byte[] request, EventSource.View view, OutputStream out)
      throws IOException {
    SliceRequest wanted = SliceRequest.of(request);
    QueryPlan plan = StackGuard.guarded(wanted.text(), () -> slicePlan(wanted, view));
    if (!SliceRequest.meaning(plan).equals(wanted.meaning())) {
      throw new IOException("other variables are known here, so that the statement means another");
    }
    SliceAnswer.Sending answer = new SliceAnswer.Sending(out);
    walking.helpers().enter();
    try {
      boolean isWhole =
          StackGuard.guarded(
              wanted.text(), () -> answer.walk(plan.bind(limits), wanted.slice(), view));
      answer.end(isWhole);
    } finally {
      walking.helpers().leave();
    }
  }

  private QueryPlan slicePlan(SliceRequest wanted, EventSource.View view) {
    ParsedStatement reading = read(wanted.text());
    Analyzer analyzer = new Analyzer(Catalog.of(view), limits.analysis(), reading.declared());
    PreparedQuery query =
        reading
            .statement()
            .orElseThrow()
            .accept(new Preparation(reading.text(), () -> analyzer, limits.analysis()));
    return QueryPlan.overHistory(query.text(), query.query(), Optional.of(wanted.window()))
        .withRules(walking.rules());
  }

  /** Creates a group without queries. */
  public LiveGroup newLiveGroup() {
    return new LiveGroup(limits);
  }

  /**
   * Adds a STREAM to a group, which walks it together with others: first the history that ON TIME
   * selects, up to the watermark of its next advance.
   *
   * @param view the present events; read during this call only
   * @throws IllegalArgumentException if the query is not a STREAM
   */
  public LiveWalk openLive(
      PreparedQuery query, EventSource.View view, LiveStart start, RowSink sink, LiveGroup group) {
    if (!query.isStream()) {
      throw new IllegalArgumentException("not a STREAM: " + query.text());
    }
    long begin = TimeWindow.streamStart(query.query().query(), start.begin(), now(view));
    RunningQueries.Ticket ticket = walking.running().enter(query.text(), query.statement().range());
    LiveOutput output =
        new LiveOutput(
            ticket.watched(sink),
            begin,
            limits.late().boundMicros(),
            () -> limits.late().shownBytes(walking.running().count()));
    LiveWalk live =
        StackGuard.guarded(
            query.text(),
            () ->
                new LiveWalk(
                    from -> livePlan(query, from),
                    livePlan(query, begin).bind(limits),
                    output,
                    ticket,
                    new LiveStart(begin, start.resumed())));
    group.add(live);
    return live;
  }

  /**
   * The packed stamp from which a STREAM would read.
   *
   * @param view the present events; read during this call only
   */
  public long liveReadsFrom(PreparedQuery query, EventSource.View view, LiveStart start) {
    long begin =
        start
            .resumed()
            .map(StreamPlace::start)
            .orElseGet(
                () -> TimeWindow.streamStart(query.query().query(), start.begin(), now(view)));
    return StackGuard.guarded(query.text(), () -> livePlan(query, begin).readsFrom());
  }

  private QueryPlan livePlan(PreparedQuery query, long start) {
    return QueryPlan.live(query.text(), query.query(), start).withRules(walking.rules());
  }

  /** Ends all running statements soon, as KILL QUERY does. */
  public void killAll() {
    walking.running().killAll();
  }

  /** Returns the syntax errors, and the errors in the rest of the statement. */
  private static List<Diagnostic> problems(ParsedStatement reading, Supplier<Analyzer> analyzer) {
    List<Diagnostic> problems = new ArrayList<>(reading.problems());
    if (reading.statement().orElse(null) instanceof Statement.Query rest) {
      problems.addAll(analyzer.get().problems(reading.text(), rest, reading.obscured()));
    }
    return problems;
  }

  /** The execution of a statement over a view. Returns true. */
  private final class Execution implements Statement.Visitor<Boolean> {
    private final PreparedQuery prepared;
    private final EventSource.View view;
    private final Horizon horizon;
    private final RowSink sink;
    private final CatalogStatements catalog;
    private final AlertStatements ofAlerts;

    Execution(
        PreparedQuery prepared,
        EventSource.View view,
        Horizon horizon,
        RowSink sink,
        String sender) {
      this.prepared = prepared;
      this.view = view;
      this.horizon = horizon;
      this.sink = sink;
      this.catalog = new CatalogStatements(prepared.text(), view, walking.running());
      this.ofAlerts = new AlertStatements(prepared.text(), alerts, sender, this::unknownNames);
    }

    @Override
    public Boolean query(Statement.Query query) {
      return select();
    }

    @Override
    public Boolean outerQuery(Statement.OuterQuery query) {
      return select();
    }

    @Override
    public Boolean verdict(Statement.Verdict verdict) {
      return select();
    }

    private boolean select() {
      SelectedHistory selected =
          SelectedHistory.of(
              prepared.text(), prepared.selection(), horizon, limits, walking.rules());
      if (prepared.selection().query().explain() == Statement.Explain.NO) {
        selected.run(sink, walking.helpers());
      } else {
        new Explanation(selected, view, limits, walking.helpers()).run(sink, System::nanoTime);
      }
      return true;
    }

    @Override
    public Boolean detection(Statement.Detection detection) {
      AnalyzedDetection analyzed = (AnalyzedDetection) prepared.selection();
      new DetectionStatement(prepared.text(), analyzed, view, horizon, limits)
          .run(sink, System::nanoTime);
      return true;
    }

    @Override
    public Boolean explainCut(Statement.ExplainCut explain) {
      new ExplainCutStatement(prepared.text(), prepared.query(), explain, view, horizon, limits)
          .run(sink);
      return true;
    }

    @Override
    public Boolean explainEpisode(Statement.ExplainEpisode explain) {
      throw new AssertionError("refused when it was prepared");
    }

    @Override
    public Boolean createRule(Statement.CreateRule rule) {
      ofAlerts.create(rule, sink);
      return true;
    }

    private List<String> unknownNames(String stream) {
      QueryPlan plan = livePlan(prepare(stream), HlcTimestamp.MIN_PACKED);
      return new UnknownNames(plan.input()).in(Catalog.of(view));
    }

    @Override
    public Boolean alert(Statement.AlertStatement alert) {
      ofAlerts.run(alert, sink);
      return true;
    }

    @Override
    public Boolean declare(Statement.Declare declaration) {
      throw new AssertionError("refused when it was prepared");
    }

    @Override
    public Boolean show(Statement.Show show) {
      if (show.subject() == Statement.Subject.ALERTS) {
        ofAlerts.show(show, sink);
      } else {
        catalog.show(show, sink);
      }
      return true;
    }

    @Override
    public Boolean describe(Statement.Describe describe) {
      catalog.describe(describe, sink);
      return true;
    }

    @Override
    public Boolean forget(Statement.Forget forget) {
      new ForgetStatement(prepared.text(), forget, view, nodes).run(sink);
      return true;
    }

    @Override
    public Boolean killQuery(Statement.KillQuery kill) {
      catalog.kill(kill, sink);
      return true;
    }

    @Override
    public Boolean evaluate(Statement.Evaluate evaluate) {
      Value value =
          Translator.evaluateAlone(
              prepared.text(), evaluate.expression(), prepared.expression(), limits);
      sink.columns(List.of(new Column("value", false)));
      return sink.row(new Row(HlcTimestamp.MIN_PACKED, 0, List.of(value), Optional.empty()));
    }
  }

  private long now(EventSource.View view) {
    return present
        .map(p -> HlcTimestamp.pack(p.nowMicros(), HlcTimestamp.MAX_LOGICAL))
        .orElseGet(() -> view.extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED));
  }
}
