// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.event.Value;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One statement. */
public sealed interface Statement extends Node {
  /** The roots of its expressions, in the order of the formatted clauses. */
  List<Expression> expressions();

  /** Calls the visitor's method for this kind of statement. */
  <R> R accept(Visitor<R> visitor);

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

    R outerQuery(OuterQuery query);

    R verdict(Verdict verdict);

    R detection(Detection detection);

    R createRule(CreateRule rule);

    /** Visits the statements about one alert. */
    R alert(AlertStatement alert);

    R explainCut(ExplainCut explain);

    R explainEpisode(ExplainEpisode explain);

    /** Visits DECLARE. */
    R declare(Declare declaration);

    R show(Show show);

    R describe(Describe describe);

    R forget(Forget forget);

    R killQuery(KillQuery kill);

    R evaluate(Evaluate evaluate);
  }

  /** A statement that selects rows, and can be the inner query of another one. */
  sealed interface Selection extends Statement {
    /** Whether a plan is printed; always NO for an inner query. */
    Explain explain();

    /** The query that walks cuts: this one, or that in the innermost parentheses. */
    Query walk();

    /** The same statement over a range of time, unless it has a clause ON TIME. */
    Selection during(OnTime time);
  }

  /**
   * The statement {@code SELECT ... FROM log}.
   *
   * @param items empty for {@code *}
   */
  record Query(
      Explain explain,
      boolean stream,
      List<SelectItem> items,
      List<Identifier> logs,
      Clauses clauses,
      SourceRange range)
      implements Selection {
    /** Copies the lists. */
    public Query {
      items = List.copyOf(items);
      logs = List.copyOf(logs);
    }

    @Override
    public List<Expression> expressions() {
      List<Expression> roots = new ArrayList<>();
      items.forEach(item -> roots.add(item.expression()));
      forEach().flatMap(ForEach::collection).ifPresent(roots::add);
      compute().ifPresent(roots::add);
      when().ifPresent(clause -> roots.addAll(clause.expressions()));
      play().ifPresent(clause -> roots.addAll(clause.ofRow()));
      return roots;
    }

    public Optional<ForEach> forEach() {
      return clauses.forEach();
    }

    public Optional<Expression> compute() {
      return clauses.compute();
    }

    public Optional<When> when() {
      return clauses.when();
    }

    public NodeScope nodes() {
      return clauses.nodes();
    }

    public Optional<OnTime> onTime() {
      return clauses.onTime();
    }

    public Optional<Emit> emit() {
      return clauses.emit();
    }

    public OptionalLong limit() {
      return clauses.limit();
    }

    public boolean onErrorSkip() {
      return clauses.onErrorSkip();
    }

    public Optional<Play> play() {
      return clauses.play();
    }

    /** The same query as a STREAM, or as one that is not. */
    public Query asStream(boolean streams) {
      return new Query(explain, streams, items, logs, clauses, range);
    }

    /** The same query with other clauses. */
    public Query with(Clauses others) {
      return new Query(explain, stream, items, logs, others, range);
    }

    @Override
    public Query walk() {
      return this;
    }

    @Override
    public Query during(OnTime time) {
      return onTime().isPresent() ? this : with(clauses.toBuilder().onTime(time).build());
    }

    @Override
    public boolean isLive() {
      return stream && explain == Explain.NO;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.query(this);
    }
  }

  /**
   * The statement {@code SELECT ... FROM (SELECT ...)}, over the rows of another query.
   *
   * @param items empty for {@code *}
   * @param alias the name of the inner query, which may precede its columns
   * @param groupBy empty without GROUP BY
   * @param orderBy empty without ORDER BY
   */
  record OuterQuery(
      Explain explain,
      List<SelectItem> items,
      Selection inner,
      Optional<Identifier> alias,
      Optional<Expression> where,
      List<Expression> groupBy,
      List<SortKey> orderBy,
      OptionalLong limit,
      SourceRange range)
      implements Selection {
    /** Copies the lists. */
    public OuterQuery {
      items = List.copyOf(items);
      groupBy = List.copyOf(groupBy);
      orderBy = List.copyOf(orderBy);
    }

    @Override
    public Query walk() {
      return inner.walk();
    }

    @Override
    public OuterQuery during(OnTime time) {
      return new OuterQuery(
          explain, items, inner.during(time), alias, where, groupBy, orderBy, limit, range);
    }

    @Override
    public List<Expression> expressions() {
      List<Expression> roots = new ArrayList<>();
      items.forEach(item -> roots.add(item.expression()));
      roots.addAll(inner.expressions());
      where.ifPresent(roots::add);
      roots.addAll(groupBy);
      orderBy.forEach(key -> roots.add(key.expression()));
      return roots;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.outerQuery(this);
    }
  }

  /**
   * The statements {@code NEVER p FROM log}, and so on with ALWAYS, EVENTUALLY and SOMETIMES, and
   * {@code NEVER (SELECT ...)}: whether a claim holds.
   *
   * @param claim the predicate as written; empty for {@code NEVER (SELECT ...)}
   * @param evidence the query whose first row decides: for NEVER and ALWAYS it shows that the claim
   *     is broken, for EVENTUALLY and SOMETIMES that it holds
   */
  record Verdict(
      Explain explain, Claim kind, Optional<When> claim, Selection evidence, SourceRange range)
      implements Selection {
    /**
     * Begins the names of the columns of the evidence that show values of the predicate's names.
     */
    public static final String VALUE_OF = "cut.";

    @Override
    public Query walk() {
      return evidence.walk();
    }

    @Override
    public Verdict during(OnTime time) {
      return new Verdict(explain, kind, claim, evidence.during(time), range);
    }

    @Override
    public List<Expression> expressions() {
      return evidence.expressions();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.verdict(this);
    }
  }

  /**
   * The statements {@code POSSIBLY p FROM log} and {@code DEFINITELY p FROM log}: whether some
   * consistent cut satisfies a predicate, or every interleaving passes one that does.
   *
   * @param walk the logs, the nodes, the time, and the predicate as WHEN
   */
  record Detection(Explain explain, Modality modality, Query walk, SourceRange range)
      implements Selection {
    /** The predicate. */
    public Expression predicate() {
      return walk.when().orElseThrow().predicate();
    }

    @Override
    public Detection during(OnTime time) {
      return new Detection(explain, modality, walk.during(time), range);
    }

    @Override
    public List<Expression> expressions() {
      return List.of(predicate());
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.detection(this);
    }
  }

  /**
   * The statement {@code DECLARE variable TYPE IN log}: the variable exists, even if no event has
   * it.
   *
   * @param type the name of its type; empty for any
   */
  record Declare(Identifier variable, Optional<String> type, Identifier log, SourceRange range)
      implements Statement {
    /** The names of the types. */
    public static final List<String> TYPES =
        List.of("BOOLEAN", "LONG", "DOUBLE", "STRING", "SET", "STRUCT");

    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.declare(this);
    }
  }

  /**
   * The statement CREATE RULE of a file of rules, or CREATE ALERT: a rule that a server also
   * evaluates as events arrive.
   *
   * @param alert whether it is CREATE ALERT
   * @param replaces whether it replaces an earlier rule of the same name
   * @param settings of the clause WITH
   * @param rule a claim, or a query whose rows break the rule
   */
  record CreateRule(
      boolean alert,
      boolean replaces,
      Identifier name,
      List<Setting> settings,
      Selection rule,
      SourceRange range)
      implements Statement {
    /** Copies the list. */
    public CreateRule {
      settings = List.copyOf(settings);
    }

    @Override
    public List<Expression> expressions() {
      return rule.expressions();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.createRule(this);
    }
  }

  /**
   * A setting of the clause WITH.
   *
   * @param key its name, such as {@code severity} or {@code label.team}
   * @param value a string or a duration
   */
  record Setting(String key, Value value, SourceRange range) implements Node {}

  /**
   * The statements DESCRIBE ALERT, DROP ALERT, ACKNOWLEDGE ALERT and MUTE ALERT.
   *
   * @param item the item of FOR EACH that is acknowledged; empty for all
   * @param micros how long the alert is muted; 0 for the other actions
   */
  record AlertStatement(
      AlertAction action, Identifier name, Optional<String> item, long micros, SourceRange range)
      implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.alert(this);
    }
  }

  /** What a statement does with an alert. */
  enum AlertAction {
    DESCRIBE,
    DROP,
    ACKNOWLEDGE,
    MUTE
  }

  /**
   * The statement {@code EXPLAIN CUT t OF SELECT ...}: why a predicate is TRUE at a cut.
   *
   * @param item the item of FOR EACH that is explained; empty for all
   * @param rule the query, or the claim whose evidence is explained
   * @param depth the number of messages that are followed backwards
   */
  record ExplainCut(
      TimePoint cut, Optional<String> item, Selection rule, OptionalLong depth, SourceRange range)
      implements Statement {
    @Override
    public List<Expression> expressions() {
      return rule.expressions();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.explainCut(this);
    }
  }

  /**
   * The statement {@code EXPLAIN EPISODE 'rule@stamp'}, which the holder of the rules replaces by
   * an EXPLAIN CUT.
   *
   * @param depth the number of messages that are followed backwards
   */
  record ExplainEpisode(String episode, OptionalLong depth, SourceRange range)
      implements Statement {
    @Override
    public List<Expression> expressions() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.explainEpisode(this);
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
    public <R> R accept(Visitor<R> visitor) {
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
    public <R> R accept(Visitor<R> visitor) {
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
    public <R> R accept(Visitor<R> visitor) {
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
    public <R> R accept(Visitor<R> visitor) {
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
    public <R> R accept(Visitor<R> visitor) {
      return visitor.evaluate(this);
    }
  }

  /** The kinds of claims. */
  enum Claim {
    /** No cut satisfies the predicate. */
    NEVER,
    /** No cut makes the predicate false; one at which it is NULL does not break the claim. */
    ALWAYS,
    /** Some cut satisfies the predicate. */
    EVENTUALLY,
    /** Some cut of at least one run satisfies the predicate; one run alone cannot break it. */
    SOMETIMES;

    /** Whether one row of the evidence shows that the claim holds. */
    public boolean isFulfilledByOne() {
      return this == EVENTUALLY || this == SOMETIMES;
    }
  }

  /** The modalities of a predicate over the consistent cuts of an execution. */
  enum Modality {
    /** Some consistent cut satisfies the predicate. */
    POSSIBLY,
    /** Each interleaving passes a consistent cut that satisfies the predicate. */
    DEFINITELY;

    /** Advice for a word at which no statement begins; empty if the word is no modality. */
    public static Optional<String> advice(String word) {
      return Arrays.stream(values())
          .filter(modality -> modality.name().equalsIgnoreCase(word))
          .map(
              "%1$s begins a statement of its own: %1$s p FROM log, without SELECT and WHEN"
                  ::formatted)
          .findFirst();
    }
  }

  /** Whether a plan is printed, and whether the query also runs. */
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
    VARIABLES,
    ALERTS
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

  /**
   * A part of the clause ORDER BY.
   *
   * @param nullsFirst whether NULLs precede all other values, whatever the direction
   */
  record SortKey(Expression expression, boolean descending, boolean nullsFirst, SourceRange range)
      implements Node {}

  /**
   * The clause {@code WHEN p FOR d}, with its {@code THEN} or {@code AFTER}.
   *
   * @param forMicros the least duration of a run, in microseconds
   * @param response what must come after the predicate has become TRUE, or have come before
   */
  record When(
      Expression predicate, OptionalLong forMicros, Optional<Response> response, SourceRange range)
      implements Node {
    /** Creates a clause without THEN and AFTER. */
    public When(Expression predicate, OptionalLong forMicros, SourceRange range) {
      this(predicate, forMicros, Optional.empty(), range);
    }

    /** The predicate, then those of THEN or AFTER and of UNLESS. */
    public List<Expression> expressions() {
      List<Expression> roots = new ArrayList<>();
      roots.add(predicate);
      response.ifPresent(
          clause -> {
            roots.add(clause.expected());
            clause.excuse().ifPresent(roots::add);
          });
      return roots;
    }
  }
}
