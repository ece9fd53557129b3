// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.Statement.When;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The clauses of a query after FROM. Immutable.
 *
 * @param nodes all of them without a clause AT
 * @param limit the largest number of rows
 * @param onErrorSkip whether cuts at which the query fails are left out
 */
public record Clauses(
    Optional<ForEach> forEach,
    Optional<Expression> compute,
    Optional<When> when,
    NodeScope nodes,
    Optional<OnTime> onTime,
    Optional<Emit> emit,
    OptionalLong limit,
    boolean onErrorSkip,
    Optional<Play> play) {
  /** A query that ends after FROM. */
  public static final Clauses NONE =
      new Clauses(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          new NodeScope.All(),
          Optional.empty(),
          Optional.empty(),
          OptionalLong.empty(),
          false,
          Optional.empty());

  /** The clauses of a query with a row for each run of another condition at the same cuts. */
  public Clauses runs(When of) {
    return toBuilder()
        .when(Optional.of(of))
        .emit(Optional.of(Emit.INTERVALS))
        .limit(OptionalLong.empty())
        .play(Optional.empty())
        .build();
  }

  /** A builder that has these clauses. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** The clauses of a query that is being made from another one. Used by one thread. */
  public static final class Builder {
    private Optional<ForEach> forEach;
    private Optional<Expression> compute;
    private Optional<When> when;
    private NodeScope nodes;
    private Optional<OnTime> onTime;
    private Optional<Emit> emit;
    private OptionalLong limit;
    private boolean onErrorSkip;
    private Optional<Play> play;

    private Builder(Clauses from) {
      forEach = from.forEach;
      compute = from.compute;
      when = from.when;
      nodes = from.nodes;
      onTime = from.onTime;
      emit = from.emit;
      limit = from.limit;
      onErrorSkip = from.onErrorSkip;
      play = from.play;
    }

    public Builder forEach(ForEach clause) {
      forEach = Optional.of(clause);
      return this;
    }

    public Builder compute(Optional<Expression> clause) {
      compute = clause;
      return this;
    }

    public Builder when(Optional<When> clause) {
      when = clause;
      return this;
    }

    public Builder nodes(NodeScope clause) {
      nodes = clause;
      return this;
    }

    public Builder onTime(OnTime clause) {
      onTime = Optional.of(clause);
      return this;
    }

    public Builder emit(Optional<Emit> clause) {
      emit = clause;
      return this;
    }

    public Builder limit(OptionalLong clause) {
      limit = clause;
      return this;
    }

    public Builder onErrorSkip(boolean clause) {
      onErrorSkip = clause;
      return this;
    }

    public Builder play(Optional<Play> clause) {
      play = clause;
      return this;
    }

    /** The clauses so far. */
    public Clauses build() {
      return new Clauses(forEach, compute, when, nodes, onTime, emit, limit, onErrorSkip, play);
    }
  }
}
