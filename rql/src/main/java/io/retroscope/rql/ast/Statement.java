package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One statement. */
public sealed interface Statement extends Node {
  /** The roots of its expressions, in the order of the formatted clauses. */
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
   * The statement {@code SELECT ...}.
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

  /** The statements SHOW LOGS, SHOW NODES and so on. */
  record Show(Subject subject, Optional<Identifier> log, Optional<String> like, SourceRange range)
      implements Statement {}

  /** The statement {@code DESCRIBE log}. */
  record Describe(Identifier log, SourceRange range) implements Statement {}

  /** The statement {@code FORGET NODE node}. */
  record Forget(Identifier node, SourceRange range) implements Statement {}

  /** The statement {@code KILL QUERY id}. */
  record KillQuery(long id, SourceRange range) implements Statement {}

  /** A single expression, such as {@code 1 + 2;}. */
  record Evaluate(Expression expression, SourceRange range) implements Statement {}

  /** The forms of EXPLAIN: none, the plan alone, or the plan and a run of the query. */
  enum Explain {
    NO,
    PLAN,
    ANALYZE
  }

  /** The subjects of SHOW. */
  enum Subject {
    LOGS,
    NODES,
    ALIGNMENT,
    QUERIES,
    VARIABLES
  }

  /** The forms of a row. */
  enum Emit {
    CUTS,
    INTERVALS,
    EDGES
  }

  /**
   * A result column.
   *
   * @param text the expression as written, which is the heading if there is no alias
   */
  record SelectItem(
      Expression expression, Optional<Identifier> alias, String text, SourceRange range)
      implements Node {}

  /** The clause {@code FOR EACH VARIABLE v LIKE 'p'}. */
  record ForEachVariable(Identifier variable, Optional<String> like, SourceRange range)
      implements Node {}

  /**
   * The clause {@code WHEN p FOR d}.
   *
   * @param forMicros the least duration of a run, in microseconds
   */
  record When(Expression predicate, OptionalLong forMicros, SourceRange range) implements Node {}

  /** The nodes that a cut includes. */
  sealed interface NodeScope {
    /** All nodes. */
    record All() implements NodeScope {}

    /** The nodes with an event or a heartbeat within the idle timeout. */
    record Live(SourceRange range) implements NodeScope, Node {}

    /** The listed nodes. */
    record Listed(List<Identifier> nodes, SourceRange range) implements NodeScope, Node {
      /** Copies the nodes. */
      public Listed {
        nodes = List.copyOf(nodes);
      }
    }
  }

  /** The clause ON TIME in its three forms. */
  sealed interface OnTime extends Node {
    /** The form {@code ON TIME p}: one cut, or the start of a STREAM. */
    record At(TimePoint point, SourceRange range) implements OnTime {}

    /** The form {@code ON TIME p TO q}. */
    record Between(TimePoint from, TimePoint to, SourceRange range) implements OnTime {}

    /** The form {@code ON TIME LAST d}. */
    record Last(long micros, SourceRange range) implements OnTime {}
  }

  /** A point in time. */
  sealed interface TimePoint extends Node {
    /**
     * The form {@code '2026-11-21T10:00:00Z'}.
     *
     * @param text as written between the quotes, for the formatter
     * @param micros since the Unix epoch
     */
    record Iso(String text, long micros, SourceRange range) implements TimePoint {}

    /** The form {@code hlc'<micros>.<logical>'}. */
    record Hlc(long packed, SourceRange range) implements TimePoint {}

    /**
     * The form {@code NOW} or {@code NOW - d}.
     *
     * @param minusMicros 0 for plain NOW
     */
    record Now(long minusMicros, SourceRange range) implements TimePoint {}
  }

  /**
   * The clause {@code PLAY instrument NOTE e VELOCITY e LENGTH d}.
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
