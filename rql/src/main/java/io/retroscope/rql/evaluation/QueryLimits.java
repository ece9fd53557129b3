// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.parser.ParseLimits;

/**
 * The limits of a query, which ends with a clear error if it exceeds one.
 *
 * @param parse limits of the text
 * @param analysis limits that are checked before the query runs
 * @param outer limits of outer queries
 * @param lattice limits of POSSIBLY and DEFINITELY
 * @param late limits of what a STREAM remembers for events that come late
 * @param evaluation limits of the evaluation of cuts
 * @param idleTimeoutMicros how long a node may be silent and still count as live, above 0; above
 *     {@link Presence#MAX_GAP_MICROS}, unless all events are in memory
 * @param walkThreads the number of threads that all queries of an engine together may use for the
 *     walk over history, apart from one for each query
 */
public record QueryLimits(
    ParseLimits parse,
    AnalysisLimits analysis,
    OuterLimits outer,
    LatticeLimits lattice,
    LateLimits late,
    EvaluationLimits evaluation,
    long idleTimeoutMicros,
    int walkThreads) {
  private static final int USUAL_TEXT_CHARACTERS = 1_000_000;

  /** The defaults of the shell and the server. */
  public static final QueryLimits DEFAULT =
      new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000_000, 1_000_000);

  /** Checks that every limit is positive. */
  public QueryLimits {
    if (idleTimeoutMicros <= 0 || walkThreads <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: idleTimeoutMicros=%d walkThreads=%d"
              .formatted(idleTimeoutMicros, walkThreads));
    }
  }

  /**
   * Creates limits with the defaults for the query's text, for texts that expressions create and
   * for outer queries.
   */
  public QueryLimits(
      long maxBindings,
      int maxSetElements,
      int maxHeldRows,
      int maxVariables,
      long idleTimeoutMicros) {
    this(
        ParseLimits.DEFAULT,
        AnalysisLimits.DEFAULT,
        OuterLimits.DEFAULT,
        new EvaluationLimits(
            maxBindings, maxSetElements, USUAL_TEXT_CHARACTERS, maxHeldRows, maxVariables),
        idleTimeoutMicros,
        1);
  }

  /** Creates limits with the defaults for POSSIBLY and DEFINITELY, and for late events. */
  public QueryLimits(
      ParseLimits parse,
      AnalysisLimits analysis,
      OuterLimits outer,
      EvaluationLimits evaluation,
      long idleTimeoutMicros,
      int walkThreads) {
    this(
        parse,
        analysis,
        outer,
        LatticeLimits.DEFAULT,
        LateLimits.DEFAULT,
        evaluation,
        idleTimeoutMicros,
        walkThreads);
  }

  /** Returns the same limits with others for outer queries. */
  public QueryLimits with(OuterLimits others) {
    return new QueryLimits(
        parse, analysis, others, lattice, late, evaluation, idleTimeoutMicros, walkThreads);
  }

  /** Returns the same limits with others for POSSIBLY and DEFINITELY. */
  public QueryLimits with(LatticeLimits others) {
    return new QueryLimits(
        parse, analysis, outer, others, late, evaluation, idleTimeoutMicros, walkThreads);
  }

  /** Returns the same limits with others for events that come late. */
  public QueryLimits with(LateLimits others) {
    return new QueryLimits(
        parse, analysis, outer, lattice, others, evaluation, idleTimeoutMicros, walkThreads);
  }

  /** Returns the same limits with another time for which a node may be silent, above 0. */
  public QueryLimits withIdleTimeoutMicros(long micros) {
    return new QueryLimits(parse, analysis, outer, lattice, late, evaluation, micros, walkThreads);
  }

  /** Returns the same limits with another number of threads. */
  public QueryLimits withWalkThreads(int threads) {
    return new QueryLimits(
        parse, analysis, outer, lattice, late, evaluation, idleTimeoutMicros, threads);
  }
}
