// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.completeness.Horizon;
import io.retroscope.rql.engine.completeness.SharedCaveats;
import io.retroscope.rql.engine.slice.WalkFigures;
import io.retroscope.rql.engine.statement.RunningQueries;
import io.retroscope.rql.engine.statement.StackGuard;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.QueryPlan.Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The execution of several statements over the history of one view, in one pass over its blocks.
 * Used by one thread, once.
 */
public final class SharedHistory {
  /*
   * Queries that follow the same variables over the same range have one state and one walk. The
   * walks of other queries take turns, from one stop of the view to the next, so that a block that
   * one of them has read is still in memory for the others.
   */
  private final Horizon known;
  private final View view;
  private final QueryLimits limits;
  private final UnaryOperator<QuietRule> rules;
  private final RunningQueries running;
  private final SharedCaveats caveats = new SharedCaveats();
  private final Map<Shape, List<Task>> tasks = new LinkedHashMap<>();
  private final List<Task> all = new ArrayList<>();
  private final List<SharedWalk> walks = new ArrayList<>();

  /**
   * What queries must have in common so that one state serves them all.
   *
   * @param readsFrom the first stamp whose cuts are read, before the range if AFTER looks back
   * @param hasRule whether there is a quiet rule; a query without one evaluates every cut
   */
  private record Shape(QueryPlan.Input input, Slice slice, long readsFrom, boolean hasRule) {
    static Shape of(BoundPlan plan) {
      return new Shape(
          plan.input(), plan.slice(), plan.plan().readsFrom(), plan.quietRule().isPresent());
    }
  }

  /** A statement on its way to its answer. */
  private static final class Task {
    private final String text;
    private RunningQueries.@Nullable Ticket ticket;
    private @Nullable RowSink sink;
    private @Nullable SelectedHistory selected;
    private SelectedHistory.@Nullable Answer answer;
    private @Nullable RqlException failure;

    Task(String text) {
      this.text = text;
    }

    /** Takes a step; its error is that of the statement. */
    void step(Runnable step) {
      try {
        StackGuard.guarded(
            text,
            () -> {
              step.run();
              return true;
            });
      } catch (RqlException e) {
        failed(e);
      }
    }

    void failed(RqlException e) {
      failure = e;
    }

    void end() {
      if (failure == null && answer != null) {
        step(answer.end());
      }
      if (failure == null && ticket != null) {
        step(ticket::checkAlive);
      }
    }
  }

  /**
   * An execution of no statements yet.
   *
   * @param known how far the stored events are complete, with their view
   * @param rules changes the quiet rules of the queries; may not change a row
   * @param running receives a ticket of each statement
   */
  public SharedHistory(
      Horizon known, QueryLimits limits, UnaryOperator<QuietRule> rules, RunningQueries running) {
    this.known = known;
    this.view = known.view();
    this.limits = limits;
    this.rules = rules;
    this.running = running;
  }

  /**
   * Adds a statement.
   *
   * @param preparing checks it, and may fail; empty if it has run by itself because it does not
   *     walk cuts in the order of stamps
   */
  public void add(String text, Supplier<Optional<AnalyzedSelection>> preparing, RowSink sink) {
    Task task = new Task(text);
    all.add(task);
    task.step(() -> preparing.get().ifPresent(selection -> select(task, selection, sink)));
  }

  /** Begins a statement. */
  private void select(Task task, AnalyzedSelection selection, RowSink sink) {
    RunningQueries.Ticket ticket = running.enter(task.text, selection.query().range());
    task.ticket = ticket;
    task.sink = ticket.watched(sink);
    select(task, SelectedHistory.of(task.text, selection, known, limits, rules));
  }

  /** Adds a statement to those of its shape. */
  private void select(Task task, SelectedHistory selected) {
    List<Task> others = tasks.computeIfAbsent(Shape.of(selected.plan()), key -> new ArrayList<>());
    SelectedHistory first = others.isEmpty() ? null : others.get(0).selected;
    task.selected = first == null ? selected : selected.over(first.plan());
    others.add(task);
  }

  /**
   * Executes all statements. An error of one of them is that of no other.
   *
   * @param nanos a clock for the execution time
   */
  public SharedAnswers run(LongSupplier nanos) {
    long start = nanos.getAsLong();
    List<RunningQueries.Ticket> tickets =
        all.stream().map(task -> task.ticket).filter(Objects::nonNull).toList();
    try {
      tickets.forEach(RunningQueries.Ticket::begin);
      walk();
      all.forEach(Task::end);
    } finally {
      tickets.forEach(RunningQueries.Ticket::close);
    }
    return new SharedAnswers(
        all.stream().map(task -> Optional.ofNullable(task.failure)).toList(),
        cost((nanos.getAsLong() - start) / 1_000));
  }

  private void walk() {
    long[] stops = view.blockReads().map(BlockReads::share).orElse(new long[0]);
    tasks.values().forEach(this::begin);
    if (walks.size() > 1) {
      for (long stop : stops) {
        walks.forEach(walk -> walk.walkTo(stop));
      }
    }
    walks.forEach(SharedWalk::finish);
  }

  /** Begins the walk of the statements of one shape. */
  private void begin(List<Task> group) {
    BoundPlan first = Objects.requireNonNull(group.get(0).selected).plan();
    SharedWalk walk =
        first.slice().history().isPresent() ? new SharedWalk(view, first, limits) : null;
    for (Task task : group) {
      SelectedHistory selected = Objects.requireNonNull(task.selected);
      RowSink sink = Objects.requireNonNull(task.sink);
      task.step(() -> task.answer = selected.answer(sink, walk));
      SelectedHistory.Answer answer = task.answer;
      if (answer != null) {
        task.step(answer.walk()::begin);
      }
      if (answer != null && walk != null && task.failure == null) {
        task.step(() -> walk.add(answer.walk(), caveats, task::failed));
      }
    }
    if (walk != null && walk.size() > 0) {
      walks.add(walk);
    }
  }

  /** The cost of the execution, in the words of EXPLAIN ANALYZE. */
  private List<String> cost(long micros) {
    List<String> lines = new ArrayList<>();
    for (SharedWalk walk : walks) {
      WalkFigures figures = walk.figures();
      String statements = walk.size() == 1 ? " statement" : " statements";
      lines.add("walk of " + walk.size() + statements + over(walk.plan()));
      lines.add("  cuts of all: " + figures.cuts());
      if (walk.plan().quietRule().isPresent()) {
        lines.add("  passed by the quiet rules: " + figures.passedCuts());
        lines.add("  blocks answered by their zones: " + figures.blocksPassed());
      }
      lines.add("  events read: " + figures.eventsRead());
    }
    lines.add("blocks: " + BlockCount.sentence(view));
    lines.add("time: " + Literals.duration(micros));
    return lines;
  }

  private static String over(BoundPlan plan) {
    String names =
        plan.input().variables().stream()
            .map(variable -> variable.log() + "." + variable.name())
            .sorted()
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "" : " over " + names;
  }
}
