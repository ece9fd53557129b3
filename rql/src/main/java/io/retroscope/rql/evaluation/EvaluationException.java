// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The failure of an expression in a cut. The first caller that knows the place or the node adds it.
 * It has no stack trace, because it describes a fault of the data, not of the program.
 */
public final class EvaluationException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  private final transient Diagnostic diagnostic;
  private final boolean located;
  private final @Nullable String where;

  public EvaluationException(ErrorCode code, Object... gaps) {
    this(code.at(NOWHERE, gaps), false, null);
  }

  private EvaluationException(Diagnostic diagnostic, boolean located, @Nullable String where) {
    super(diagnostic.message(), null, false, false);
    this.diagnostic = diagnostic;
    this.located = located;
    this.where = where;
  }

  /**
   * All that makes an error, for another process.
   *
   * @param diagnostic without nodes and cut
   * @param located whether it has a place
   * @param where its nodes, as users see them
   */
  public record Parts(Diagnostic diagnostic, boolean located, Optional<String> where) {}

  /** All that makes this error. */
  public Parts parts() {
    return new Parts(diagnostic, located, Optional.ofNullable(where));
  }

  /** The error that is made of these parts. */
  public static EvaluationException of(Parts parts) {
    return new EvaluationException(parts.diagnostic, parts.located, parts.where.orElse(null));
  }

  /** Returns the same error with advice. */
  public EvaluationException withHelp(String help) {
    return new EvaluationException(diagnostic.withHelp(help), located, where);
  }

  /** Returns the same error with a place, unless it already has one. */
  public EvaluationException at(SourceRange range) {
    return located
        ? this
        : new EvaluationException(
            new Diagnostic(diagnostic.code(), diagnostic.message(), range, diagnostic.help()),
            true,
            where);
  }

  /** Returns the same error with its nodes, unless it already has some or none are given. */
  EvaluationException of(Collection<String> nodes) {
    return where != null || nodes.isEmpty()
        ? this
        : new EvaluationException(
            diagnostic,
            located,
            (nodes.size() == 1 ? "node " : "nodes ") + String.join(" and ", nodes));
  }

  /** Returns the error as users see it, with its node and the cut. */
  public Diagnostic inCut(String cut) {
    String message = diagnostic.message() + (where == null ? "" : " at " + where) + cut;
    return new Diagnostic(diagnostic.code(), message, diagnostic.range(), diagnostic.help());
  }

  /** Returns whether the query exceeded a limit, which is not an error of one cut. */
  public boolean isLimit() {
    return diagnostic.code().equals(ErrorCode.TOO_MANY_HELD_ROWS.code())
        || diagnostic.code().equals(ErrorCode.TOO_MANY_OUTER_ROWS.code())
        || diagnostic.code().equals(ErrorCode.TOO_MANY_VARIABLES.code());
  }
}
