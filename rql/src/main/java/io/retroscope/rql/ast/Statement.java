package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One statement. */
public sealed interface Statement extends Node {
  /** The roots of its expressions, in the order of the formatted clauses. */
  List<Expression> expressions();

  /** Calls the visitor's method for this kind of statement. */
  <R> R accept(Statement.Visitor<R> visitor);

  /**
   * Whether rows arrive as events do, until the statement is stopped: a SELECT STREAM that is not
   * only explained.
   */
  default boolean isLive() {
    return false;
  }

  /**
   * An operation on statements, with one method for each kind, so that a new kind compiles only
   * when each operation handles it.
   */
  interface Visitor<R> {
    R query(Query query);

    R show(Show show);

    R describe(Describe describe);

    R forget(Forget forget);

    R killQuery(KillQuery kill);

    R evaluate(Evaluate evaluate);
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

    @Override
    public List<Expression> expressions() {
      List<Expression> roots = new ArrayList<>();
      items.forEach(item -> roots.add(item.expression()));
      compute.ifPresent(roots::add);
      when.ifPresent(clause -> roots.add(clause.predicate()));
      play.flatMap(Play::note).ifPresent(roots::add);
      play.flatMap(Play::velocity).ifPresent(roots::add);
      return roots;
    }

    @Override
    public boolean isLive() {
      return stream && explain == Explain.NO;
    }

    @Override
    public <R> R accept(Statement.Visitor<R> visitor) {
      return visitor.query(this);
    }
  }

  /** The statements SHOW LOGS, SHOW NODES and so on. */
  record Show(Subject subject, Optional<Identifier> log, Optional<String> like, SourceRange range)
      implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Statement.Visitor<R> visitor) {
      return visitor.show(this);
    }
  }

  /** The statement {@code DESCRIBE log}. */
  record Describe(Identifier log, SourceRange range) implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Statement.Visitor<R> visitor) {
      return visitor.describe(this);
    }
  }

  /** The statement {@code FORGET NODE node}. */
  record Forget(Identifier node, SourceRange range) implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Statement.Visitor<R> visitor) {
      return visitor.forget(this);
    }
  }

  /** The statement {@code KILL QUERY id}. */
  record KillQuery(long id, SourceRange range) implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Statement.Visitor<R> visitor) {
      return visitor.killQuery(this);
    }
  }

  /** A single expression, such as {@code 1 + 2;}. */
  record Evaluate(Expression expression, SourceRange range) implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of(expression);
    }

    @Override
    public <R> R accept(Statement.Visitor<R> visitor) {
      return visitor.evaluate(this);
    }
  }

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
    /** The nodes that are listed; empty if the scope lists none. */
    List<Identifier> nodes();

    /** Whether a silent node leaves the scope. */
    boolean isLive();

    /** Calls the visitor's method for this scope. */
    <R> R accept(NodeScope.Visitor<R> visitor);

    /** An operation on the scopes, with one method for each. */
    interface Visitor<R> {
      R all(All all);

      R live(Live live);

      R listed(Listed listed);
    }

    /** All nodes. */
    record All() implements NodeScope {
      @Override
      public List<Identifier> nodes() {
        return List.of();
      }

      @Override
      public boolean isLive() {
        return false;
      }

      @Override
      public <R> R accept(NodeScope.Visitor<R> visitor) {
        return visitor.all(this);
      }
    }

    /** The nodes with an event or a heartbeat within the idle timeout. */
    record Live(SourceRange range) implements NodeScope, Node {
      @Override
      public List<Identifier> nodes() {
        return List.of();
      }

      @Override
      public boolean isLive() {
        return true;
      }

      @Override
      public <R> R accept(NodeScope.Visitor<R> visitor) {
        return visitor.live(this);
      }
    }

    /** The listed nodes. */
    record Listed(List<Identifier> nodes, SourceRange range) implements NodeScope, Node {
      /** Copies the nodes. */
      public Listed {
        nodes = List.copyOf(nodes);
      }

      @Override
      public boolean isLive() {
        return false;
      }

      @Override
      public <R> R accept(NodeScope.Visitor<R> visitor) {
        return visitor.listed(this);
      }
    }
  }

  /** The clause ON TIME in its three forms. */
  sealed interface OnTime extends Node {
    /** Calls the visitor's method for this form. */
    <R> R accept(OnTime.Visitor<R> visitor);

    /** An operation on the forms of ON TIME, with one method for each. */
    interface Visitor<R> {
      R at(At at);

      R between(Between between);

      R last(Last last);
    }

    /** The form {@code ON TIME p}: one cut, or the start of a STREAM. */
    record At(TimePoint point, SourceRange range) implements OnTime {
      @Override
      public <R> R accept(OnTime.Visitor<R> visitor) {
        return visitor.at(this);
      }
    }

    /** The form {@code ON TIME p TO q}. */
    record Between(TimePoint from, TimePoint to, SourceRange range) implements OnTime {
      @Override
      public <R> R accept(OnTime.Visitor<R> visitor) {
        return visitor.between(this);
      }
    }

    /** The form {@code ON TIME LAST d}. */
    record Last(long micros, SourceRange range) implements OnTime {
      @Override
      public <R> R accept(OnTime.Visitor<R> visitor) {
        return visitor.last(this);
      }
    }
  }

  /** A point in time. */
  sealed interface TimePoint extends Node {
    /** Calls the visitor's method for this form. */
    <R> R accept(TimePoint.Visitor<R> visitor);

    /** An operation on the forms of a point in time, with one method for each. */
    interface Visitor<R> {
      R iso(Iso iso);

      R hlc(Hlc hlc);

      R now(Now now);
    }

    /**
     * The form {@code '2026-11-21T10:00:00Z'}.
     *
     * @param text as written between the quotes, for the formatter
     * @param micros since the Unix epoch
     */
    record Iso(String text, long micros, SourceRange range) implements TimePoint {
      @Override
      public <R> R accept(TimePoint.Visitor<R> visitor) {
        return visitor.iso(this);
      }
    }

    /** The form {@code hlc'<micros>.<logical>'}. */
    record Hlc(long packed, SourceRange range) implements TimePoint {
      @Override
      public <R> R accept(TimePoint.Visitor<R> visitor) {
        return visitor.hlc(this);
      }
    }

    /**
     * The form {@code NOW} or {@code NOW - d}.
     *
     * @param minusMicros 0 for plain NOW
     */
    record Now(long minusMicros, SourceRange range) implements TimePoint {
      @Override
      public <R> R accept(TimePoint.Visitor<R> visitor) {
        return visitor.now(this);
      }
    }
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
