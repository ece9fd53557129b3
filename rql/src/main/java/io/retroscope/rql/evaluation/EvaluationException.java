package io.retroscope.rql.evaluation;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * An expression has no value in a cut. The place and the node are added on the way up, by the first
 * who knows them. Has no stack trace: it tells of the data, not of the program.
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

  EvaluationException withHelp(String help) {
    return new EvaluationException(diagnostic.withHelp(help), located, where);
  }

  /** The same error at this place, unless it already has one. */
  public EvaluationException at(SourceRange range) {
    return located
        ? this
        : new EvaluationException(
            new Diagnostic(diagnostic.code(), diagnostic.message(), range, diagnostic.help()),
            true,
            where);
  }

  /** The same error at these nodes, unless it already has some or there are none. */
  EvaluationException of(Collection<String> nodes) {
    return where != null || nodes.isEmpty()
        ? this
        : new EvaluationException(
            diagnostic,
            located,
            (nodes.size() == 1 ? "node " : "nodes ") + String.join(" and ", nodes));
  }

  /** The error as people read it, with its node and the cut. */
  public Diagnostic inCut(String cut) {
    String message = diagnostic.message() + (where == null ? "" : " at " + where) + cut;
    return new Diagnostic(diagnostic.code(), message, diagnostic.range(), diagnostic.help());
  }

  /** Whether a limit was met, which is no fault of one cut. */
  public boolean isLimit() {
    return diagnostic.code().equals(ErrorCode.TOO_MANY_HELD_ROWS.code())
        || diagnostic.code().equals(ErrorCode.TOO_MANY_VARIABLES.code());
  }
}
