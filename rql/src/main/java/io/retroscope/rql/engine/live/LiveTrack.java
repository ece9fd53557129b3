// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.completeness.AdvanceCaveats;
import io.retroscope.rql.engine.walk.AgeAlarms;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.engine.walk.Track;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.QueryPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One walk for the STREAM queries that have the same {@link LiveShape}, as the watermark moves.
 * Used by one thread.
 *
 * <p>Each query gets the rows, the warnings and the error of a walk of its own. One that needs no
 * more rows, or fails, leaves; the walk continues for the others.
 */
final class LiveTrack implements CutListener, Track {
  /*
   * The walk reads from the earliest stamp that any of its queries needs. A query enters at its own:
   * the state at a stamp is the same whatever was read before. Until then it receives nothing.
   *
   * At a cut that may matter to any query, the rule of each is evaluated over the present state,
   * where it is exact. A stamp without a cut concerns only the queries that wait for a deadline;
   * the others learn of it at the next cut that they evaluate, or at the end of the advance.
   *
   * A query whose rules for the next cut are part of the common ones is covered: while its own are
   * quiet, cuts are only counted, and it learns of them all at once, before anything else. So a cut
   * costs as much as the queries for which it may change something, whatever the number of others.
   * Such a query that takes no warnings rests during an advance without a cut that concerns it, and
   * learns of the advance when its place or its cuts are needed, or soon afterwards.
   */
  private static final long LONGEST_REST_MICROS = 100_000;

  private final LiveShape shape;
  private final QueryLimits limits;
  private final CutBatch batch;
  private final AgeAlarms alarms;
  private final @Nullable LiveNodes liveNodes;
  private final CutWalker walker;
  private final long readsFrom;

  /** The rules of the covered queries for single cuts. */
  private final CommonRules<Member> common = new CommonRules<>();

  private final Counted counted = new Counted();

  /** The queries that are not covered, and whether the rules of any of them may have changed. */
  private Member[] open = new Member[0];

  private int openCount;
  private boolean isAnyChanged = true;

  /** How many covered queries need the time of a cut. */
  private int timeCount;

  /** The first stamp at which a query is due, unless it has to be found anew. */
  private long firstDue = CutTimers.NEVER;

  private boolean isDueStale;

  /** The number of queries that do not receive every cut yet. */
  private int enteringCount;

  private ClockOffsets clockOffsets = ClockOffsets.UNKNOWN;
  private Member[] active = new Member[0];
  private int activeCount;

  /** The first stored stamp, during an advance. */
  private long storedFrom;

  private boolean begun;

  /** The present advance; null between two of them. */
  private @Nullable Advance advance;

  private long advances;
  private NavigableMap<String, Long> silentBefore = Collections.emptyNavigableMap();

  /** The cuts that were only counted. */
  private static final class Counted {
    private long cuts;

    /** The stamp and the time of the last one. */
    private long lastHlc;

    private @Nullable CutTime lastTime;
  }

  /** What an advance is made with. */
  private record Advance(
      View view, NavigableMap<String, Long> silent, long until, AdvanceCaveats caveats) {}

  /**
   * A query that is about to be walked.
   *
   * @param sent the place up to which its rows were sent
   */
  record Entry(LiveWalk live, QueryPlan plan, Optional<StreamPlace> sent) {}

  /** How much of the walk a query receives. */
  private enum Phase {
    /** Nothing: the walk is before everything that the query needs. */
    AWAY,
    /** Cuts before its start, for AFTER. */
    EARLIER,
    /** The state just before its start was received. */
    AT_START,
    /** Every cut. */
    STARTED
  }

  private static final class Member {
    private final LiveWalk live;
    private final QueryWalk walk;
    private final long readsFrom;
    private final long start;
    private Phase phase = Phase.AWAY;
    private @Nullable HlcRange range;

    /** The number of the advance that it was prepared for last. */
    private long preparedFor;

    /** The stamp of which its rows so far, and its place, are. */
    private long settledTo = HlcTimestamp.MIN_PACKED;

    /** The stamp at which it must be stepped: its next deadline, or its entrance. */
    private long due = CutTimers.NEVER;

    private boolean isGone;

    /** Whether its rules are among the common ones, and whether that has to be found out. */
    private boolean isCovered;

    private boolean isChanged = true;
    private boolean needsTime;

    /** Its holds of the rules that it has had, and those of the present ones if it is covered. */
    private final Map<QuietRule, CommonRules<Member>.Hold> held = new IdentityHashMap<>();

    private final List<CommonRules<Member>.Hold> taken = new ArrayList<>();

    /** The cuts of {@link #counted.cuts} that it has learned of. */
    private long learnedCuts;

    Member(LiveWalk live, QueryWalk walk) {
      this.live = live;
      this.walk = walk;
      this.readsFrom = walk.plan().plan().readsFrom();
      this.start = walk.plan().slice().start();
    }

    /** Whether an advance matters to it only if a cut of it does, because it is covered. */
    boolean mayRest(long until) {
      return isCovered
          && live.output().rests()
          && HlcTimestamp.micros(until) - HlcTimestamp.micros(settledTo) < LONGEST_REST_MICROS;
    }

    /** The stamp before which the walk must stop so that the query can enter. */
    long entrance() {
      return switch (phase) {
        case AWAY -> readsFrom;
        case EARLIER -> start;
        case AT_START -> start + 1;
        case STARTED -> CutTimers.NEVER;
      };
    }

    long nextDue() {
      return Math.min(walk.deadline(), entrance());
    }
  }

  /** A part of a walk, as one query receives it. */
  private interface Step {
    /** Returns whether the query wants more. */
    boolean of(Member member, long hlc);
  }

  /** Creates a walk of queries, which has not begun. */
  LiveTrack(LiveShape shape, List<Entry> entries, QueryLimits limits) {
    this.shape = shape;
    this.limits = limits;
    CutState state = new CutState(new LinkedHashSet<>(shape.input().onlyNodes()));
    this.batch = new CutBatch(state);
    this.alarms = new AgeAlarms(state.signs());
    this.liveNodes =
        shape.input().liveNodes()
            ? new LiveNodes(state, new SilenceLimits(limits.idleTimeoutMicros()))
            : null;
    this.readsFrom =
        entries.stream().mapToLong(entry -> entry.plan().readsFrom()).min().orElseThrow();
    this.walker =
        new CutWalker(
            batch,
            shape.input().logs(),
            shape.input().usesAges(),
            readsFrom,
            readsFrom,
            alarms,
            liveNodes,
            this);
    entries.forEach(this::join);
  }

  /** Adds a query, of which the walk has passed nothing that it needs. */
  void join(Entry entry) {
    LiveWalk live = entry.live();
    try {
      QueryWalk walk =
          new QueryWalk(
              entry.plan().bind(batch, limits), limits, entry.sent(), live.output(), this);
      Member member = new Member(live, walk);
      live.setWalk(walk, () -> catchUp(member));
      walk.begin();
      if (begun) {
        walker.show(walker.position());
        walk.timers().resume();
      }
      active = Arrays.copyOf(active, activeCount + 1);
      active[activeCount++] = member;
      enteringCount++;
      addOpen(member);
      noteDue(member);
    } catch (RqlException | StackOverflowError e) {
      live.fail(e);
    }
  }

  private void addOpen(Member member) {
    if (openCount == open.length) {
      open = Arrays.copyOf(open, Math.max(4, 2 * openCount));
    }
    open[openCount++] = member;
    isAnyChanged = true;
  }

  /** Notes when a query that may have been stepped is due next. */
  private void noteDue(Member member) {
    long due = member.isGone ? CutTimers.NEVER : member.nextDue();
    isDueStale |= member.due == firstDue && due > firstDue;
    firstDue = Math.min(firstDue, due);
    member.due = due;
  }

  /** The packed stamp before which it has no cuts. */
  long readsFrom() {
    return readsFrom;
  }

  @Override
  public CutWalker walker() {
    return walker;
  }

  @Override
  public AgeAlarms alarms() {
    return alarms;
  }

  @Override
  public @Nullable LiveNodes liveNodes() {
    return liveNodes;
  }

  /** The queries that want more, in the order in which they came. */
  List<LiveWalk> queries() {
    return Arrays.stream(active, 0, activeCount).map(member -> member.live).toList();
  }

  /** Removes the queries that were closed; returns whether any is left. */
  boolean isWanted() {
    for (int i = 0; i < activeCount; i++) {
      if (active[i].live.isFinished()) {
        return keep((member, hlc) -> !member.live.isFinished(), 0);
      }
    }
    return activeCount > 0;
  }

  /**
   * Walks up to and including a stamp.
   *
   * @param view holds every event up to there
   * @param caveats the reasons for warnings up to there
   * @param written what the events up to there write; null if that is not known
   */
  void walkTo(
      View view,
      Watermark watermark,
      long until,
      AdvanceCaveats caveats,
      @Nullable WrittenVariables written) {
    Member[] before = Arrays.copyOf(active, activeCount);
    clockOffsets = view.clockOffsets();
    storedFrom = view.extent().map(HlcRange::from).orElse(HlcTimestamp.MAX_PACKED);
    Advance now = new Advance(view, watermark.missingSince(), until, caveats);
    boolean isAlike = now.silent.equals(silentBefore);
    silentBefore = now.silent;
    advance = now;
    advances++;
    try {
      if (prepareAll(now, isAlike)
          && (!begun || until > walker.position())
          && walk(view, until, written)
          && enterAll(until + 1)) {
        walker.endAt(until);
      }
    } catch (StackOverflowError e) {
      failAll(e); // Outside the steps: it is not known of which query.
    } finally {
      advance = null;
    }
    for (Member member : before) {
      if (member.preparedFor == advances) {
        settle(member, view);
      }
    }
    isWanted();
  }

  /** Prepares the queries that do not rest; returns whether any wants more. */
  private boolean prepareAll(Advance now, boolean isAlike) {
    int kept = 0;
    int count = activeCount;
    for (int i = 0; i < count; i++) {
      Member member = active[i];
      boolean rests = isAlike && member.mayRest(now.until);
      if (rests || wantsMore(member, (own, hlc) -> true, now.until)) {
        active[kept++] = member;
      }
    }
    return keepFirst(kept);
  }

  /** Prepares a query for the present advance, once; returns whether it wants more. */
  private boolean prepare(Member member) {
    Advance now = advance;
    if (now == null || member.preparedFor == advances) {
      return true;
    }
    member.preparedFor = advances;
    member.walk.setSilent(now.silent);
    member.range = member.walk.prepare(now.view, now.until, now.caveats);
    return !member.walk.isFinished();
  }

  /** Ends all its queries, because its state may be incomplete. */
  private void failAll(StackOverflowError e) {
    queries().forEach(query -> query.fail(e));
    for (int i = 0; i < activeCount; i++) {
      leave(active[i]);
    }
    keepFirst(0);
  }

  /** Walks up to a stamp without its end; returns whether any query wants more. */
  private boolean walk(View view, long until, @Nullable WrittenVariables written) {
    boolean isIdle =
        begun
            && written != null
            && !written.concern(shape)
            && liveNodes == null
            && shape.isShared() // SILENCE depends on heartbeats as well.
            && Math.min(walker.nextTimer(), deadline()) > until;
    begun = true;
    if (isIdle) {
      walker.passTo(view, until);
    }
    return isIdle || walker.walkTo(view, until);
  }

  /** Lets a query learn of the advances during which it rested. */
  private void catchUp(Member member) {
    if (advance == null && member.settledTo < walker.position()) {
      settle(member, null);
    }
  }

  /**
   * Ends an advance of a query.
   *
   * @param view that of the advance; null after advances during which it rested
   */
  private void settle(Member member, @Nullable View view) {
    try {
      if (!member.live.isFinished() && member.range != null) {
        boolean unused = learn(member);
        if (!member.walk.isFinished()) {
          member.walk.reached(member.walk.position());
          noteDue(member);
        }
        if (view != null) {
          member.walk.settle(view, member.range);
        }
        member.settledTo = walker.position();
        member.live.walked(member.walk.isFinished());
      }
    } catch (RqlException | StackOverflowError e) {
      member.live.fail(e);
    }
  }

  /** Takes a step with each query; returns whether any wants more. */
  private boolean keep(Step step, long hlc) {
    int kept = 0;
    int count = activeCount;
    for (int i = 0; i < count; i++) {
      Member member = active[i];
      if (wantsMore(member, step, hlc)) {
        active[kept++] = member;
      }
    }
    return keepFirst(kept);
  }

  private boolean keepFirst(int kept) {
    if (kept < activeCount) {
      Arrays.fill(active, kept, activeCount, null);
      activeCount = kept;
      dropGone();
    }
    return kept > 0;
  }

  /** A quiet walk may not look at its open queries for long. */
  private void dropGone() {
    int kept = 0;
    for (int i = 0; i < openCount; i++) {
      if (!open[i].isGone) {
        open[kept++] = open[i];
      }
    }
    Arrays.fill(open, kept, openCount, null);
    openCount = kept;
  }

  /** The number of queries that it refers to. */
  int heldCount() {
    return (int)
        Stream.concat(Arrays.stream(active), Arrays.stream(open))
            .filter(Objects::nonNull)
            .distinct()
            .count();
  }

  /** The number of rules for single cuts, and of what they compare. */
  int heldRuleCount() {
    return common.size();
  }

  private boolean wantsMore(Member member, Step step, long hlc) {
    boolean isKept = steps(member, step, hlc);
    if (isKept) {
      noteDue(member);
    } else {
      leave(member);
    }
    return isKept;
  }

  /** Removes what remains of a query outside of {@link #active}. */
  private void leave(Member member) {
    member.isGone = true;
    enteringCount -= member.phase == Phase.STARTED ? 0 : 1;
    member.walk.timers().close();
    noteDue(member);
    noteChange(member);
    member.held.values().forEach(common::release);
    member.held.clear();
  }

  private boolean steps(Member member, Step step, long hlc) {
    try {
      if (learn(member) && prepare(member) && step.of(member, hlc)) {
        return true;
      }
      member.walk.finish();
    } catch (WorkMeter.CancelledException e) {
      member.walk.finish();
    } catch (RuntimeException | StackOverflowError e) {
      member.live.fail(e);
      // The other queries continue with the state that this one may have changed for a moment.
      batch.state().showMomentary(true);
    }
    return false;
  }

  /**
   * Lets a query enter whose part of the walk begins before a stamp, or there.
   *
   * @return whether the query wants more
   */
  private boolean enter(Member member, long stamp) {
    if (member.phase != Phase.STARTED) {
      noteChange(member);
    }
    if (member.phase == Phase.AWAY && member.readsFrom <= stamp) {
      member.phase = Phase.EARLIER;
      if (member.readsFrom < member.start && storedFrom < member.readsFrom) {
        walker.show(member.readsFrom - 1);
        member.walk.earlier(member.readsFrom - 1);
      }
    }
    if (member.phase == Phase.EARLIER && member.start == stamp) {
      member.phase = Phase.AT_START;
      if (stamp > HlcTimestamp.MIN_PACKED) {
        walker.show(stamp - 1);
        member.walk.beforeStart();
      }
    }
    boolean isPast = member.phase == Phase.EARLIER || member.phase == Phase.AT_START;
    if (isPast && member.start < stamp) {
      begin(member);
      walker.show(member.start);
      return member.walk.start(member.start);
    }
    return true;
  }

  private boolean enterAll(long stamp) {
    return enteringCount == 0 ? activeCount > 0 : keep(this::enter, stamp);
  }

  private void begin(Member member) {
    enteringCount -= member.phase == Phase.STARTED ? 0 : 1;
    member.phase = Phase.STARTED;
  }

  @Override
  public boolean reached(long hlc) {
    if (deadline() > hlc) {
      return activeCount > 0;
    }
    int kept = 0;
    int count = activeCount;
    for (int i = 0; i < count; i++) {
      Member member = active[i];
      if (member.due > hlc || wantsMore(member, this::reached, hlc)) {
        active[kept++] = member;
      }
    }
    return keepFirst(kept);
  }

  private boolean reached(Member member, long hlc) {
    if (member.walk.deadline() <= hlc) {
      noteChange(member);
      if (!member.walk.reached(hlc)) {
        return false;
      }
    }
    return enter(member, hlc);
  }

  @Override
  public boolean start(long hlc) {
    // The state there is shown, but a query that enters may need the one before first.
    return enterAll(hlc + 1);
  }

  @Override
  public boolean cut(long hlc) {
    CutState state = batch.state();
    if (state.touched().isEmpty() || state.hasMomentary()) {
      // Only time has passed, for some of them; or values are about to disappear.
      return keep(this::cut, hlc);
    }
    coverOpen();
    openConcerned(hlc);
    counted.cuts++;
    counted.lastHlc = hlc;
    counted.lastTime = timeCount == 0 ? null : state.origin().time(hlc, clockOffsets);
    return openCount == 0 || keepOpen(hlc);
  }

  /** Opens the covered queries for which the present cut may change something. */
  private void openConcerned(long hlc) {
    for (Member member : common.concerned()) {
      if (member.isCovered && !member.walk.staysFalse()) {
        boolean unused = wantsMore(member, this::open, hlc);
      }
    }
  }

  private boolean open(Member member, long hlc) {
    noteChange(member);
    return true;
  }

  /** Evaluates a cut that is quiet for the others. */
  private boolean keepOpen(long hlc) {
    boolean isAnyGone = false;
    for (int i = 0; i < openCount; i++) {
      isAnyGone |= open[i].isGone || !wantsMore(open[i], this::cut, hlc);
    }
    if (!isAnyGone) {
      return true;
    }
    int kept = 0;
    for (int i = 0; i < activeCount; i++) {
      if (!active[i].isGone) {
        active[kept++] = active[i];
      }
    }
    return keepFirst(kept);
  }

  private void coverOpen() {
    if (!isAnyChanged) {
      return;
    }
    isAnyChanged = false;
    int kept = 0;
    for (int i = 0; i < openCount; i++) {
      Member member = open[i];
      if (member.isChanged && !member.isGone) {
        cover(member);
      }
      if (!member.isCovered) {
        open[kept++] = member;
      }
    }
    Arrays.fill(open, kept, openCount, null);
    openCount = kept;
  }

  /** Notes that a query, which has learned of all cuts, may have other rules. */
  private void noteChange(Member member) {
    isAnyChanged = true;
    member.isChanged = true;
    if (member.isCovered) {
      member.isCovered = false;
      timeCount -= member.needsTime ? 1 : 0;
      for (CommonRules<Member>.Hold hold : member.taken) {
        hold.leave();
      }
      member.taken.clear();
      addOpen(member);
    }
  }

  private void cover(Member member) {
    member.isChanged = false;
    if (member.phase == Phase.STARTED) {
      for (QuietRule rule : member.walk.cutRules()) {
        CommonRules<Member>.Hold hold =
            member.held.computeIfAbsent(rule, own -> common.hold(own, member));
        hold.take();
        member.taken.add(hold);
      }
    }
    member.learnedCuts = counted.cuts;
    member.isCovered = !member.taken.isEmpty();
    member.needsTime = member.walk.needsTimeOfCut();
    timeCount += member.isCovered && member.needsTime ? 1 : 0;
  }

  /** Lets a query learn of the cuts that were only counted; returns whether it wants more. */
  private boolean learn(Member member) {
    long count = counted.cuts - member.learnedCuts;
    member.learnedCuts = counted.cuts;
    return !member.isCovered
        || count == 0
        || member.walk.passedOver(
            count, counted.lastHlc, member.needsTime ? counted.lastTime : null);
  }

  private boolean cut(Member member, long hlc) {
    if (member.phase == Phase.AWAY || !member.walk.isAtCut()) {
      return true;
    }
    if (member.phase == Phase.EARLIER) {
      member.walk.earlier(hlc);
      return true;
    }
    begin(member);
    noteChange(member);
    return member.walk.reached(hlc) && member.walk.cut(hlc);
  }

  /** All queries are covered: they learn of the cuts later. */
  @Override
  public boolean passed(long cuts, long events, long lastCut, long hlc) {
    if (cuts > 0) {
      counted.cuts += cuts;
      counted.lastHlc = lastCut;
    }
    return activeCount > 0;
  }

  @Override
  public @Nullable QuietRule quietRule() {
    if (!shape.hasRule()) {
      return null;
    }
    coverOpen();
    return openCount == 0 ? common.joint() : null;
  }

  @Override
  public long deadline() {
    if (isDueStale) {
      isDueStale = false;
      firstDue = CutTimers.NEVER;
      for (int i = 0; i < activeCount; i++) {
        firstDue = Math.min(firstDue, active[i].due);
      }
    }
    return firstDue;
  }

  /** A query of FOR EACH that enters makes its questions, which set alarms. */
  @Override
  public long entrance() {
    return enteringCount == 0 ? CutTimers.NEVER : deadline();
  }

  @Override
  public boolean isCancelled() {
    for (int i = 0; i < activeCount; i++) {
      if (!active[i].walk.isCancelled()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void warning(EventWarning warning) {
    for (int i = 0; i < activeCount; i++) {
      if (active[i].phase == Phase.AWAY || warning.hlc() >= active[i].readsFrom) {
        active[i].walk.warning(warning);
      }
    }
  }
}
