package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One statement. */
public sealed interface Statement extends Node {
  /** The roots of its expressions, in the order in which clauses print. */
  default List<Expression> expressions() {
    List<Expression> roots = new ArrayList<>();
    if (this instanceof Evaluate evaluate) {
      roots.add(evaluate.expression());
    } else if (this instanceof Query query) {
      query.items().forEach(item -> roots.add(item.expression()));
      query.compute().ifPresent(roots::add);
      query.when().ifPresent(when -> roots.add(when.predicate()));
      query.play().flatMap(Play::note).ifPresent(roots::add);
      query.play().flatMap(Play::velocity).ifPresent(roots::add);
    }
    return roots;
  }

  /**
   * {@code SELECT ...}.
   *
   * @param items empty for {@code *}
   */
  record Query(
      Explain explain,
      boolean stream,
      List<SelectItem> items,
      List<Identifier> logs,
      Optional<ForEachVariable> forEach,
      Optional<Expression> compute,
      Optional<When> when,
      NodeScope nodes,
      Optional<OnTime> onTime,
      Optional<Emit> emit,
      OptionalLong limit,
      boolean onErrorSkip,
      Optional<Play> play,
      SourceRange range)
      implements Statement {
    /** Copies the lists. */
    public Query {
      items = List.copyOf(items);
      logs = List.copyOf(logs);
    }
  }

  /** SHOW LOGS, SHOW NODES and their kin. */
  record Show(Subject subject, Optional<Identifier> log, Optional<String> like, SourceRange range)
      implements Statement {}

  /** {@code DESCRIBE log}. */
  record Describe(Identifier log, SourceRange range) implements Statement {}

  /** {@code FORGET NODE node}. */
  record Forget(Identifier node, SourceRange range) implements Statement {}

  /** An expression on its own: {@code 1 + 2;}. */
  record Evaluate(Expression expression, SourceRange range) implements Statement {}

  /** Whether a plan is printed, and whether the query also runs. */
  enum Explain {
    NO,
    PLAN,
    ANALYZE
  }

  /** What SHOW lists. */
  enum Subject {
    LOGS,
    NODES,
    ALIGNMENT,
    QUERIES,
    VARIABLES
  }

  /** What makes a row. */
  enum Emit {
    CUTS,
    INTERVALS,
    EDGES
  }

  /**
   * A result column.
   *
   * @param text the expression as written, the heading where there is no alias
   */
  record SelectItem(
      Expression expression, Optional<Identifier> alias, String text, SourceRange range)
      implements Node {}

  /** {@code FOR EACH VARIABLE v LIKE 'p'}. */
  record ForEachVariable(Identifier variable, Optional<String> like, SourceRange range)
      implements Node {}

  /**
   * {@code WHEN p FOR d}.
   *
   * @param forMicros the least duration of a run, in microseconds
   */
  record When(Expression predicate, OptionalLong forMicros, SourceRange range) implements Node {}

  /** Which nodes a cut holds. */
  sealed interface NodeScope {
    /** All of them. */
    record All() implements NodeScope {}

    /** Those heard from within the idle timeout. */
    record Live(SourceRange range) implements NodeScope, Node {}

    /** Those named. */
    record Listed(List<Identifier> nodes, SourceRange range) implements NodeScope, Node {
      /** Copies the nodes. */
      public Listed {
        nodes = List.copyOf(nodes);
      }
    }
  }

  /** ON TIME in its three forms. */
  sealed interface OnTime extends Node {
    /** {@code ON TIME p}: one cut, or in a STREAM the start. */
    record At(TimePoint point, SourceRange range) implements OnTime {}

    /** {@code ON TIME p TO q}. */
    record Between(TimePoint from, TimePoint to, SourceRange range) implements OnTime {}

    /** {@code ON TIME LAST d}. */
    record Last(long micros, SourceRange range) implements OnTime {}
  }

  /** A point in time. */
  sealed interface TimePoint extends Node {
    /**
     * {@code '2026-11-21T10:00:00Z'}.
     *
     * @param text as written between the quotes, so that it prints back
     * @param micros since the Unix epoch
     */
    record Iso(String text, long micros, SourceRange range) implements TimePoint {}

    /** {@code hlc'<micros>.<logical>'}. */
    record Hlc(long packed, SourceRange range) implements TimePoint {}

    /**
     * {@code NOW} or {@code NOW - d}.
     *
     * @param minusMicros 0 for plain NOW
     */
    record Now(long minusMicros, SourceRange range) implements TimePoint {}
  }

  /**
   * {@code PLAY instrument NOTE e VELOCITY e LENGTH d}.
   *
   * @param instrument as written, without quotes
   */
  record Play(
      String instrument,
      Optional<Expression> note,
      Optional<Expression> velocity,
      OptionalLong lengthMicros,
      SourceRange range)
      implements Node {}
}
