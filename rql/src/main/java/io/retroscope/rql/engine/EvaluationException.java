package io.retroscope.rql.engine;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import org.jspecify.annotations.Nullable;

/**
 * An expression has no value in a cut. The place and the node are added on the way up, by the first
 * who knows them. Has no stack trace: it tells of the data, not of the program.
 */
final class EvaluationException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  private final transient Diagnostic diagnostic;
  private final boolean located;
  private final @Nullable String node;

  EvaluationException(ErrorCode code, Object... gaps) {
    this(code.at(NOWHERE, gaps), false, null);
  }

  private EvaluationException(Diagnostic diagnostic, boolean located, @Nullable String node) {
    super(diagnostic.message(), null, false, false);
    this.diagnostic = diagnostic;
    this.located = located;
    this.node = node;
  }

  EvaluationException withHelp(String help) {
    return new EvaluationException(diagnostic.withHelp(help), located, node);
  }

  /** The same error at this place, unless it already has one. */
  EvaluationException at(SourceRange range) {
    return located
        ? this
        : new EvaluationException(
            new Diagnostic(diagnostic.code(), diagnostic.message(), range, diagnostic.help()),
            true,
            node);
  }

  /** The same error at this node, unless it already has one or there is none. */
  EvaluationException of(@Nullable String newNode) {
    return node != null || newNode == null
        ? this
        : new EvaluationException(diagnostic, located, newNode);
  }

  /** The error as people read it, with its node and the cut. */
  Diagnostic inCut(String cut) {
    String message = diagnostic.message() + (node == null ? "" : " at node " + node) + cut;
    return new Diagnostic(diagnostic.code(), message, diagnostic.range(), diagnostic.help());
  }

  /** Whether a limit was met, which is no fault of one cut. */
  boolean isLimit() {
    return diagnostic.code().equals(ErrorCode.TOO_MANY_HELD_ROWS.code())
        || diagnostic.code().equals(ErrorCode.TOO_MANY_VARIABLES.code());
  }
}
