package io.retroscope.rql.analysis;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The errors of one statement, up to a number that remains readable. */
final class Problems {
  private final String text;
  private final String someNode;
  private final List<Diagnostic> found = new ArrayList<>();

  /**
   * Creates an empty list.
   *
   * @param someNode an example of a node, as written after {@code @}
   */
  Problems(String text, String someNode) {
    this.text = text;
    this.someNode = someNode;
  }

  String someNode() {
    return someNode;
  }

  String text() {
    return text;
  }

  String text(SourceRange range) {
    return text.substring(range.start(), range.end());
  }

  void add(Diagnostic problem) {
    if (found.size() < RqlException.MAX_DIAGNOSTICS) {
      found.add(problem);
    }
  }

  /** Adds a problem whose help is expensive to compute. */
  void add(Diagnostic problem, Supplier<String> help) {
    if (found.size() < RqlException.MAX_DIAGNOSTICS) {
      found.add(problem.withHelp(help.get()));
    }
  }

  void mismatch(SourceRange range, String taker, String taken, Type given) {
    add(ErrorCode.MISMATCH.at(range, taker, taken, given.word()));
  }

  List<Diagnostic> found() {
    return List.copyOf(found);
  }

  void throwIfAny() {
    if (!found.isEmpty()) {
      throw new RqlException(text, found);
    }
  }
}
