package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.CutListener;
import io.retroscope.rql.cut.CutWalker;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventWarning;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.LiveNodes;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeSlices;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** The execution of one plan over the cuts of its slice. Used by one thread. */
final class QueryWalk implements CutListener {
  private static final int STAMPS_BETWEEN_REPORTS = 16_384;

  private final QueryPlan plan;
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
  private final GapWarnings gapWarnings;
  private final CaveatWarnings caveatWarnings;
  private final SilenceWarnings silenceWarnings;
  private final @Nullable QuietRule quietRule;
  private final @Nullable QuietRule stillTrue;
  private @Nullable SlicedHistory slices;
  private @Nullable SliceStitch stitch;
  private long cuts;
  private long passedCuts;
  private long stamps;
  private long lastCut = HlcTimestamp.MIN_PACKED;

  /**
   * Creates a walk that has not begun.
   *
   * @param resumed the place up to which rows have been sent already
   */
  QueryWalk(QueryPlan plan, QueryLimits limits, Optional<StreamPlace> resumed, RowSink sink) {
    boolean live = plan.input().liveNodes();
    LiveNodes liveNodes = live ? new LiveNodes(plan.state(), limits.idleTimeoutMicros()) : null;
    WorkMeter work = new WorkMeter(sink::cancelled);
    this.plan = plan;
    this.sink = sink;
    this.columns = new ResultColumns(plan.query());
    this.silenceWarnings = new SilenceWarnings(plan, limits.idleTimeoutMicros(), sink);
    this.output = new WalkOutput(plan, limits, resumed, silenceWarnings, sink);
    this.missing = new MissingNodes(liveNodes, plan.output().keepsState());
    this.errors = new CutErrors(plan, sink);
    this.ageTimers = new AgeTimers(plan.clauses().ages());
    this.evaluation = new CutEvaluation(plan, output, deadlines, missing, errors, work);
    this.gapWarnings = new GapWarnings(sink);
    this.caveatWarnings =
        new CaveatWarnings(sink, plan.state()::counts, plan.state().followsMessages());
    this.walker =
        new CutWalker(
            plan.state(),
            plan.input().logs(),
            AgeSearch.usesAges(plan.query().query().expressions()),
            plan.slice().start(),
            ageTimers,
            liveNodes,
            this);
    this.questions =
        new Questions(
            plan,
            new QuestionMaker(
                plan, columns, output, ageTimers, liveNodes, errors, work, limits.maxVariables()));
    this.quietRule = plan.quietRule().orElse(null);
    this.stillTrue = quietRule == null ? null : quietRule.whileTrue();
  }

  /**
   * Executes a plan over history, from the start of its range to the end.
   *
   * @param helpers the threads that may walk slices of it
   */
  static QueryWalk overHistory(
      QueryPlan plan,
      QueryLimits limits,
      EventSource.View view,
      RowSink sink,
      SliceThreads helpers) {
    QueryWalk walk = new QueryWalk(plan, limits, Optional.empty(), sink);
    walk.begin();
    if (plan.slice().history().isPresent()) {
      long end = plan.slice().history().get().to();
      helpers.enter();
      try {
        List<HlcRange> slices = TimeSlices.of(plan, view, helpers.threads());
        walk.slices = slices.size() > 1 ? walk.sliced(slices, limits, view, helpers) : null;
        walk.advance(view, end);
      } finally {
        helpers.leave();
      }
      walk.end(end);
    }
    return walk;
  }

  private SlicedHistory sliced(
      List<HlcRange> ranges, QueryLimits limits, EventSource.View view, SliceThreads helpers) {
    Question question = questions.all().get(0);
    stitch = new SliceStitch(plan, question, output, deadlines, errors, silenceWarnings, sink);
    return new SlicedHistory(plan, limits, view, ranges, helpers, stitch);
  }

  /** Sends the columns, which precede everything else, and the warnings of the plan. */
  void begin() {
    sink.columns(columns.columns());
    plan.warnings().forEach(sink::warning);
  }

  /** Sets the nodes that the watermark leaves out, starting with the cuts of the next advance. */
  void setSilent(SortedSet<String> nodes) {
    missing.setSilent(nodes);
  }

  /** Applies the events that a node recorded while it was left out. */
  void catchUp(EventSource.View view, String node, HlcRange range) {
    gapWarnings.check(view, range);
    walker.catchUp(view, node, range);
  }

  String text() {
    return plan.text();
  }

  long position() {
    return walker.position();
  }

  /** Walks up to and including a stamp; returns whether more rows are wanted. */
  boolean advance(EventSource.View view, long until) {
    evaluation.setClockOffsets(view.clockOffsets());
    HlcRange range = new HlcRange(Math.min(walker.position(), until), until);
    gapWarnings.check(view, range);
    long from = Math.max(plan.slice().start(), walker.position());
    if (!output.isFinished() && from <= until) {
      caveatWarnings.check(view, new HlcRange(from, until));
      silenceWarnings.begin(view, new HlcRange(from, until));
    }
    try {
      if (!output.isFinished() && !walk(view, until)) {
        output.finish();
      }
    } catch (WorkMeter.CancelledException e) {
      output.finish();
    }
    gapWarnings.checkSource(view, range);
    silenceWarnings.reached(view, output.isFinished() ? output.place().hlc() : until);
    return !output.isFinished();
  }

  private boolean walk(EventSource.View view, long until) {
    return slices == null ? walker.advance(view, until) : slices.walk();
  }

  /** Ends the range; runs that still hold remain open. */
  void end(long hlc) {
    for (Question question : questions.all()) {
      if (!output.isFinished()) {
        question.run().endOfRange(hlc);
      }
    }
    close();
  }

  /** Sends the final warnings. */
  void close() {
    silenceWarnings.close();
    errors.close();
  }

  /** The cost of the walk, with that of all its slices. */
  WalkFigures figures() {
    return new WalkFigures(cuts, passedCuts, walker.eventsRead(), walker.blocksPassed())
        .plus(slices == null ? WalkFigures.NONE : slices.figures());
  }

  /**
   * The packed stamp up to which cuts affect the rows: that of the last cut or, if a run that had
   * lasted long enough was the last one wanted, the stamp at which it had; {@link
   * HlcTimestamp#MIN_PACKED} without a cut.
   */
  long lastCut() {
    long last = stitch == null ? lastCut : stitch.lastCut();
    return output.isFinished() && last > HlcTimestamp.MIN_PACKED
        ? Math.max(last, output.place().hlc())
        : last;
  }

  /** The number of slices that other threads walked. */
  int slicesByHelpers() {
    return slices == null ? 0 : slices.walkedByHelpers();
  }

  /** The largest number of bytes that waited in slices. */
  long mostWaitingBytes() {
    return slices == null ? 0 : slices.mostWaitingBytes();
  }

  StreamPlace place() {
    return output.place();
  }

  long rows() {
    return output.rows();
  }

  @Override
  public boolean start(long hlc) {
    output.reached(hlc);
    boolean single = plan.slice().single();
    if (single || plan.output().followsRuns()) {
      cuts += single ? 1 : 0;
      evaluation.evaluate(questions.all(), hlc, question -> !single);
    }
    return !output.isFinished();
  }

  @Override
  public boolean cut(long hlc) {
    cuts++;
    lastCut = hlc;
    List<Question> touched = questions.touchedBy(plan.state().touched(), ageTimers.turned());
    boolean single = plan.slice().single();
    boolean atStart = hlc == plan.slice().start() && (single || plan.output().followsRuns());
    if (atStart && questions.areSeveral()) {
      // Questions that the cut at the start does not touch are evaluated with the state there.
      Set<Question> own = new HashSet<>(touched);
      evaluation.evaluate(questions.all(), hlc, question -> !single && !own.contains(question));
    } else {
      evaluation.evaluate(touched, hlc, question -> false);
    }
    return !output.isFinished();
  }

  @Override
  public boolean reached(long hlc) {
    deadlines.reached(hlc, output);
    countStamps(1, hlc);
    return !output.isFinished();
  }

  private void countStamps(long more, long hlc) {
    long before = stamps;
    stamps += more;
    if (stamps / STAMPS_BETWEEN_REPORTS > before / STAMPS_BETWEEN_REPORTS) {
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
    if (quietRule == null || output.isFinished()) {
      return null;
    }
    Run run = questions.all().get(0).run();
    if (!run.holds()) {
      return quietRule;
    }
    return run.needsOnlyItsEnd() ? stillTrue : null;
  }

  @Override
  public long deadline() {
    return deadlines.next();
  }

  @Override
  public boolean passed(long cutCount, long eventCount, long hlc) {
    cuts += cutCount;
    passedCuts += cutCount;
    if (cutCount > 0) {
      lastCut = hlc;
    }
    Run run = questions.all().get(0).run();
    if (run.holds() && cutCount > 0) {
      run.holdsThrough(hlc, cutCount, missing.now());
    }
    output.reached(hlc);
    countStamps(eventCount, hlc);
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
