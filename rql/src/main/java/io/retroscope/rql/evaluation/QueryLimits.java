package io.retroscope.rql.evaluation;

import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.parser.ParseLimits;

/**
 * What a query may cost before it is ended with a clear error.
 *
 * @param parse how large a text may be
 * @param analysis what a query may ask for
 * @param maxBindings bindings that quantifiers, nested ones included, may try in one cut
 * @param maxSetElements elements of one set that an expression makes, those of the sets in it
 *     included
 * @param maxTextCharacters characters of one text that an expression makes
 * @param maxHeldRows rows that WHEN ... FOR may hold back
 * @param maxVariables variables that one query may follow with FOR EACH VARIABLE
 * @param idleTimeoutMicros how long a node may be silent and still counts as live
 */
public record QueryLimits(
    ParseLimits parse,
    AnalysisLimits analysis,
    long maxBindings,
    int maxSetElements,
    int maxTextCharacters,
    int maxHeldRows,
    int maxVariables,
    long idleTimeoutMicros) {
  private static final int USUAL_TEXT_CHARACTERS = 1_000_000;

  /** What the shell and the server use when nothing is configured. */
  public static final QueryLimits DEFAULT =
      new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000_000, 1_000_000);

  /** Limits of a run, with the usual ones for its text and the texts that it makes. */
  public QueryLimits(
      long maxBindings,
      int maxSetElements,
      int maxHeldRows,
      int maxVariables,
      long idleTimeoutMicros) {
    this(
        ParseLimits.DEFAULT,
        AnalysisLimits.DEFAULT,
        maxBindings,
        maxSetElements,
        USUAL_TEXT_CHARACTERS,
        maxHeldRows,
        maxVariables,
        idleTimeoutMicros);
  }

  /** Checks that every limit is positive. */
  public QueryLimits {
    if (maxBindings <= 0
        || maxSetElements <= 0
        || maxTextCharacters <= 0
        || maxHeldRows <= 0
        || maxVariables <= 0
        || idleTimeoutMicros <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: maxBindings=%d maxSetElements=%d maxTextCharacters=%d maxHeldRows=%d maxVariables=%d idleTimeoutMicros=%d"
              .formatted(
                  maxBindings,
                  maxSetElements,
                  maxTextCharacters,
                  maxHeldRows,
                  maxVariables,
                  idleTimeoutMicros));
    }
  }
}
