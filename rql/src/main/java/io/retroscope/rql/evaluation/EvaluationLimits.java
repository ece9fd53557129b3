// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

/**
 * The limits of the evaluation of cuts, all positive.
 *
 * @param maxBindings bindings that quantifiers, including nested ones, may try in one cut
 * @param maxSetElements elements of one set that an expression creates, including those of nested
 *     sets
 * @param maxTextCharacters characters of one text that an expression creates
 * @param maxHeldRows rows that WHEN ... FOR may hold back
 * @param maxVariables variables that one query may follow with FOR EACH VARIABLE
 */
public record EvaluationLimits(
    long maxBindings,
    int maxSetElements,
    int maxTextCharacters,
    int maxHeldRows,
    int maxVariables) {
  /** Checks that every limit is positive. */
  public EvaluationLimits {
    if (maxBindings <= 0
        || maxSetElements <= 0
        || maxTextCharacters <= 0
        || maxHeldRows <= 0
        || maxVariables <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: maxBindings=%d maxSetElements=%d maxTextCharacters=%d maxHeldRows=%d maxVariables=%d"
              .formatted(
                  maxBindings, maxSetElements, maxTextCharacters, maxHeldRows, maxVariables));
    }
  }
}
