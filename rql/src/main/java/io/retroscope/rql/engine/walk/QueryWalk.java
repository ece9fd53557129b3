// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.engine.completeness.AdvanceCaveats;
import io.retroscope.rql.engine.completeness.LostTime;
import io.retroscope.rql.engine.completeness.MissingNodes;
import io.retroscope.rql.engine.completeness.SharedCaveats;
import io.retroscope.rql.engine.completeness.SilenceWarnings;
import io.retroscope.rql.engine.completeness.UnknownNames;
import io.retroscope.rql.engine.completeness.WalkWarnings;
import io.retroscope.rql.engine.response.ResponsePattern;
import io.retroscope.rql.engine.response.Responses;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.engine.run.ResultColumns;
import io.retroscope.rql.engine.run.ShortRuns;
import io.retroscope.rql.engine.slice.SliceThreads;
import io.retroscope.rql.engine.slice.SlicedHistory;
import io.retroscope.rql.engine.slice.StampCount;
import io.retroscope.rql.engine.slice.WalkFigures;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.TimeSlices;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The execution of one plan over the cuts of its slice. Used by one thread. */
public final class QueryWalk implements CutListener {
  private final BoundPlan plan;
  private final QueryLimits limits;
  private final RowSink sink;
  private final ResultColumns columns;
  private final WalkOutput output;
  private final MissingNodes missing;
  private final CutErrors errors;
  private final Deadlines deadlines = new Deadlines();
  private final AgeTimers ageTimers;
  private final CutEvaluation evaluation;
  private final CutWalker walker;
  private final Questions questions;
  private final Responses responses;
  private final WalkWarnings warnings;
  private final StampCount stamps = new StampCount();
  private final CutRules.@Nullable Pair quietRules;
  private final @Nullable CutRules cutRules;
  private @Nullable SlicedHistory slices;
  private @Nullable SliceStitch stitch;
  private long cuts;
  private long passedCuts;
  private long lastCut = HlcTimestamp.MIN_PACKED;

  /**
   * Creates a walk that has not begun.
   *
   * @param resumed the place up to which rows have been sent already
   * @param track the walk of several queries that moves the state; null if this one moves it
   */
  public QueryWalk(
      BoundPlan plan,
      QueryLimits limits,
      Optional<StreamPlace> resumed,
      RowSink sink,
      @Nullable Track track) {
    SilenceLimits silence = new SilenceLimits(limits.idleTimeoutMicros());
    LiveNodes liveNodes =
        track != null
            ? track.liveNodes()
            : plan.input().liveNodes() ? new LiveNodes(plan.state(), silence) : null;
    WorkMeter work = new WorkMeter(sink::cancelled);
    this.plan = plan;
    this.limits = limits;
    this.sink = sink;
    this.columns = new ResultColumns(plan.query());
    this.warnings = new WalkWarnings(plan, silence, sink);
    this.output = new WalkOutput(plan, limits, resumed, warnings.silences(), sink);
    this.missing = new MissingNodes(plan, liveNodes);
    this.errors = new CutErrors(plan, sink);
    AgeAlarms alarms = track == null ? new AgeAlarms(plan.state().signs()) : track.alarms();
    this.ageTimers = new AgeTimers(plan.clauses().ages(), alarms);
    this.evaluation = new CutEvaluation(plan, output, deadlines, missing, errors, work);
    this.walker = track == null ? walker(alarms, liveNodes) : track.walker();
    this.responses = new Responses(plan, sink);
    this.questions =
        Questions.of(
            plan,
            new QuestionMaker(
                plan,
                columns,
                output,
                evaluation,
                responses,
                ageTimers,
                liveNodes,
                errors,
                work,
                limits.evaluation().maxVariables()),
            ElementsAtCut.of(plan, liveNodes, work, errors, limits));
    this.quietRules = plan.quietRule().map(CutRules.Pair::of).orElse(null);
    this.cutRules = track == null || quietRules != null ? null : CutRules.of(plan);
  }

  private CutWalker walker(AgeAlarms alarms, @Nullable LiveNodes liveNodes) {
    CutWalker own =
        new CutWalker(
            plan.batch(),
            plan.input().logs(),
            plan.input().usesAges(),
            plan.plan().readsFrom(),
            plan.slice().start(),
            alarms,
            liveNodes,
            this);
    own.follow(warnings.silences().nodes());
    return own;
  }

  /**
   * Executes the plan over history, which the walk has not begun, from the start of its range to
   * the end.
   *
   * @param helpers the threads that may walk slices of it
   */
  public void overHistory(QueryLimits limits, EventSource.View view, SliceThreads helpers) {
    begin();
    if (plan.slice().history().isPresent()) {
      long end = plan.slice().history().get().to();
      helpers.enter();
      try {
        List<HlcRange> ranges = TimeSlices.of(plan, view, helpers.threads());
        slices = ranges.size() > 1 ? sliced(ranges, limits, view, helpers) : null;
        advance(view, end);
      } finally {
        helpers.leave();
      }
      end(end);
    }
  }

  private SlicedHistory sliced(
      List<HlcRange> ranges, QueryLimits limits, EventSource.View view, SliceThreads helpers) {
    warnings.silences().moveTo(view, plan.slice().start());
    Question question = questions.all().get(0);
    stitch = new SliceStitch(plan, question, output, deadlines, errors, warnings.silences(), sink);
    return new SlicedHistory(plan, limits, view, ranges, helpers, stitch);
  }

  /** Sends the columns, which precede everything else, and the warnings of the plan. */
  public void begin() {
    sink.columns(columns.columns());
    plan.warnings().forEach(sink::warning);
  }

  /** Sets the nodes that the watermark leaves out, starting with the cuts of the next advance. */
  public void setSilent(NavigableMap<String, Long> nodes) {
    missing.setSilent(nodes);
  }

  /** Sentences about names that no event has named so far. */
  public List<String> unknownNames(Catalog catalog) {
    return new UnknownNames(plan.input()).in(catalog);
  }

  /** The runs that hold and are too short for FOR so far: their packed starts by the item. */
  public SortedMap<String, Long> youngRuns() {
    SortedMap<String, Long> young = new TreeMap<>();
    for (Question question : questions.all()) {
      if (question.run().isYoung()) {
        young.put(question.item(), question.run().startHlc());
      }
    }
    return young;
  }

  /** Of some silent nodes, those that count. */
  public NavigableMap<String, Long> missing(NavigableMap<String, Long> nodes) {
    return missing.counting(nodes);
  }

  /** The text of the statement. */
  public String text() {
    return plan.text();
  }

  /** The plan of the walk. */
  public BoundPlan plan() {
    return plan;
  }

  /** Its timers, which make cuts of their own. */
  public AgeTimers timers() {
    return ageTimers;
  }

  /** Whether the present stamp is a cut of this query. */
  public boolean isAtCut() {
    return !plan.state().touched().isEmpty() || !ageTimers.turned().isEmpty();
  }

  /** The packed stamp up to which all events are applied to the state. */
  public long position() {
    return walker.position();
  }

  /** Walks up to and including a stamp; returns whether more rows are wanted. */
  boolean advance(EventSource.View view, long until) {
    HlcRange range = prepared(view, until, null);
    try {
      if (!output.isFinished() && !(slices == null ? walker.advance(view, until) : slices.walk())) {
        output.finish();
      }
    } catch (WorkMeter.CancelledException e) {
      output.finish();
    }
    settle(view, range);
    return !output.isFinished();
  }

  /**
   * Prepares an advance up to a stamp, and sends the warnings that precede its rows.
   *
   * @return the range of the advance, for {@link #settle}
   */
  private HlcRange prepared(EventSource.View view, long until, @Nullable SharedCaveats caveats) {
    evaluation.setClockOffsets(view.clockOffsets());
    responses.setView(view);
    ElementSearch.expectElements(plan, limits, sink, questions, view, until);
    HlcRange range = new HlcRange(Math.min(walker.position(), until), until);
    long from = Math.max(plan.slice().start(), walker.position());
    boolean hasCuts = !output.isFinished() && from <= until;
    warnings.begin(view, range, hasCuts ? new HlcRange(from, until) : null, caveats);
    return range;
  }

  /**
   * Prepares an advance of a live walk whose state another one moves.
   *
   * @param caveats of the advance
   */
  public HlcRange prepare(EventSource.View view, long until, AdvanceCaveats caveats) {
    warnings.expect(caveats, Math.min(walker.position(), until));
    return prepared(view, until, null);
  }

  /** Prepares an advance of a walk that shares the warnings about incomplete traces. */
  public HlcRange prepare(EventSource.View view, long until, SharedCaveats caveats) {
    return prepared(view, until, caveats);
  }

  /** Sends the warnings that follow the rows of an advance. */
  public void settle(EventSource.View view, HlcRange range) {
    long end = output.isFinished() ? output.place().hlc() : range.to();
    warnings.settle(view, range, end, this::hidden);
  }

  /** A sentence about runs whose stamps hide how long they lasted; empty if there is none. */
  public Optional<String> hidden() {
    return shortRuns().hidden(warnings.lostTime());
  }

  /** The ranges in which stamps were ahead of every clock. */
  public LostTime lostTime() {
    return warnings.lostTime();
  }

  /** The nodes that are silent at its cuts, and the warnings about them. */
  public SilenceWarnings silences() {
    return warnings.silences();
  }

  /** Whether no more rows are wanted. */
  public boolean isFinished() {
    return output.isFinished();
  }

  /** Ends the rows before their LIMIT. */
  public void finish() {
    output.finish();
  }

  /** The walker of the state. */
  public CutWalker walker() {
    return walker;
  }

  /** Ends the range; runs that still hold remain open. */
  public void end(long hlc) {
    responses.betweenCuts();
    for (Question question : questions.open()) {
      if (!output.isFinished()) {
        question.endOfRange(hlc, warnings.lostTime());
      }
    }
    responses.openAtEnd().ifPresent(sink::warning);
    close();
  }

  /** Sends the final warnings. */
  public void close() {
    warnings.close(this::hidden);
    errors.close();
  }

  /** The cost of the walk, with that of all its slices. */
  public WalkFigures figures() {
    return new WalkFigures(cuts, passedCuts, walker.eventsRead(), walker.blocksPassed())
        .plus(slices == null ? WalkFigures.NONE : slices.figures());
  }

  /**
   * The packed stamp up to which cuts affect the rows: that of the last cut or, if a run that had
   * lasted long enough was the last one wanted, the stamp at which it had; {@link
   * HlcTimestamp#MIN_PACKED} without a cut.
   */
  public long lastCut() {
    long last = stitch == null ? lastCut : stitch.lastCut();
    return output.isFinished() && last > HlcTimestamp.MIN_PACKED
        ? Math.max(last, output.place().hlc())
        : last;
  }

  /** The runs of all questions that were too short for FOR. */
  public ShortRuns shortRuns() {
    ShortRuns all = new ShortRuns();
    questions.all().forEach(question -> all.add(question.run().shortRuns()));
    all.add(responses.shortResponses());
    return all;
  }

  /** The number of slices that other threads walked. */
  public int slicesByHelpers() {
    return slices == null ? 0 : slices.walkedByHelpers();
  }

  /** The number of slices that other processes walked. */
  public int slicesElsewhere() {
    return slices == null ? 0 : slices.walkedElsewhere();
  }

  /** The largest number of bytes that waited in slices. */
  public long mostWaitingBytes() {
    return slices == null ? 0 : slices.mostWaitingBytes();
  }

  /** The place at which the rows can be continued. */
  public StreamPlace place() {
    return output.place();
  }

  /** The number of rows so far. */
  public long rows() {
    return output.rows();
  }

  /** The patterns of THEN and AFTER. */
  public Responses responses() {
    return responses;
  }

  @Override
  public void earlier(long hlc) {
    boolean isEach = plan.state().touched().isEmpty() || !questions.areSeveral();
    List<Question> some =
        isEach ? questions.all() : questions.touchedBy(plan.state().touched(), ageTimers.turned());
    evaluation.evaluateEarlier(questions, some, hlc);
    questions.settle(some);
  }

  @Override
  public void beforeStart() {
    if (plan.query().response().isPresent()) {
      questions.before().forEach(evaluation::evaluateBefore);
    }
  }

  @Override
  public void silent(long hlc, List<SilentNode> nodes) {
    warnings.silences().silent(hlc, nodes);
  }

  @Override
  public boolean start(long hlc) {
    output.reached(hlc);
    boolean single = plan.slice().single();
    boolean evaluates = single || plan.output().followsRuns();
    ageTimers.forgetTurned();
    // Elements that are present may wait for an age, which may be reached exactly here.
    if ((!evaluates && !questions.areSeveral()) || !questions.meet()) {
      return !output.isFinished();
    }
    if (!single && !ageTimers.turned().isEmpty()) {
      return cut(hlc);
    }
    if (evaluates) {
      cuts += single ? 1 : 0;
      responses.atCut();
      evaluation.evaluate(questions, questions.all(), hlc, question -> !single);
      questions.settle(questions.all());
    }
    return !output.isFinished();
  }

  @Override
  public boolean cut(long hlc) {
    cuts++;
    lastCut = hlc;
    output.cut(hlc);
    if (!questions.meet()) {
      return !output.isFinished();
    }
    responses.atCut();
    List<Question> touched = questions.touchedBy(plan.state().touched(), ageTimers.turned());
    boolean single = plan.slice().single();
    boolean atStart = hlc == plan.slice().start() && (single || plan.output().followsRuns());
    if (atStart && questions.areSeveral()) {
      // Questions that the cut at the start does not touch are evaluated with the state there.
      boolean isTimely = plan.state().touched().isEmpty();
      Set<Question> own = isTimely ? ageTimers.turned() : new HashSet<>(touched);
      evaluation.evaluate(
          questions, questions.all(), hlc, question -> !single && !own.contains(question));
    } else {
      touched = passQuiet(touched, hlc);
      evaluation.evaluate(questions, touched, hlc, question -> false);
    }
    questions.settle(atStart ? questions.all() : touched);
    return !output.isFinished();
  }

  /** Passes over a cut for the questions that it does not change; returns the others. */
  private List<Question> passQuiet(List<Question> touched, long hlc) {
    if (cutRules == null || !cutRules.isEach() || plan.state().hasMomentary()) {
      return touched;
    }
    List<Question> others = new ArrayList<>(touched.size());
    for (Question question : touched) {
      if (!cutRules.isQuiet(question)) {
        others.add(question);
      } else if (question.run().holds()) {
        question.run().holdsThrough(hlc, 1, missing.now());
      }
    }
    return others;
  }

  /**
   * The rules that are all quiet at a next cut that changes nothing for this query; none if each
   * has to be evaluated.
   */
  public List<QuietRule> cutRules() {
    if (cutRules != null && !output.isFinished() && !evaluation.isAtFirstCut()) {
      return cutRules.now(questions.all());
    }
    QuietRule rule = quietRule();
    return rule == null ? List.of() : List.of(rule);
  }

  /**
   * Whether WHEN is not TRUE at the present cut and was not before, although a rule is not quiet.
   */
  public boolean staysFalse() {
    return cutRules != null && cutRules.staysFalse(questions.all());
  }

  /** Whether {@link #passedOver} needs the time of the last cut. */
  public boolean needsTimeOfCut() {
    ResponsePattern response = response();
    return response != null && response.needsTime();
  }

  /** The pattern of the only question; null if there is none. */
  private @Nullable ResponsePattern response() {
    return questions.areSeveral() ? null : questions.all().get(0).response();
  }

  /**
   * Records cuts at which all {@link #cutRules} were quiet.
   *
   * @param last packed, the stamp of the last one
   * @param time of the last one; null if that was not needed
   * @return whether more rows are wanted
   */
  public boolean passedOver(long count, long last, @Nullable CutTime time) {
    passedCuts(count, last);
    responses.passed(count);
    ResponsePattern response = response();
    if (response != null) {
      response.observeSame(last, time);
    }
    output.reached(last);
    countStamps(count, last);
    return !output.isFinished();
  }

  /**
   * Receives a cut for which the rules of several queries do not allow to pass over it; evaluates
   * it unless the rule of this one does.
   */
  public boolean cutUnlessQuiet(long hlc) {
    QuietRule rule = plan.state().hasMomentary() ? null : quietRule();
    return (rule != null && rule.isQuiet()) ? passedCuts(1, hlc) : cut(hlc);
  }

  @Override
  public boolean reached(long hlc) {
    responses.betweenCuts();
    deadlines.reached(hlc, output);
    countStamps(1, hlc);
    return !output.isFinished();
  }

  private void countStamps(long more, long hlc) {
    if (stamps.add(more)) {
      if (hlc > plan.slice().start()) {
        // The cut at this stamp is still to come.
        output.report(cuts, hlc - 1);
      }
      if (sink.cancelled()) {
        output.finish();
      }
    }
  }

  /** A run that holds may need the row of each cut, or only the cut that ends it. */
  @Override
  public @Nullable QuietRule quietRule() {
    if (quietRules == null || output.isFinished()) {
      return null;
    }
    CutRun run = questions.all().get(0).run();
    return run.holds() && !run.needsOnlyItsEnd() ? null : quietRules.now(run.holds());
  }

  @Override
  public long deadline() {
    return deadlines.next();
  }

  @Override
  public boolean passed(long cutCount, long eventCount, long lastPassedCut, long hlc) {
    if (cutCount > 0) {
      passedCuts(cutCount, lastPassedCut);
    }
    output.reached(hlc);
    countStamps(eventCount, hlc);
    return !output.isFinished();
  }

  private boolean passedCuts(long count, long last) {
    cuts += count;
    passedCuts += count;
    lastCut = last;
    output.cut(last);
    for (Question question : questions.all()) {
      if (question.run().holds()) {
        question.run().holdsThrough(last, count, missing.now(last));
      }
    }
    return !output.isFinished();
  }

  @Override
  public boolean isCancelled() {
    return sink.cancelled();
  }

  @Override
  public void warning(EventWarning warning) {
    sink.warning(warning.sentence());
  }
}
