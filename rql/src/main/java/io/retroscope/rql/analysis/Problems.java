// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The errors of one statement, up to a number that remains readable. */
final class Problems {
  private static final Set<String> NAMES =
      Set.of(
          ErrorCode.UNKNOWN_LOG.code(),
          ErrorCode.UNKNOWN_NODE.code(),
          ErrorCode.UNKNOWN_VARIABLE.code(),
          ErrorCode.UNKNOWN_FUNCTION.code());

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
    add(problem, () -> "");
  }

  /** Adds a problem whose help is expensive to compute. */
  void add(Diagnostic problem, Supplier<String> help) {
    int same = indexOfSame(problem);
    boolean isFirst = same >= 0 && problem.range().start() < found.get(same).range().start();
    if (same >= 0 && !isFirst) {
      return;
    }
    if (isFirst) {
      found.remove(same);
    }
    if (found.size() < RqlException.MAX_DIAGNOSTICS) {
      String text = help.get();
      found.add(text.isEmpty() ? problem : problem.withHelp(text));
    }
  }

  /** A name that is not known is one problem, however often it is used: where it is used first. */
  private int indexOfSame(Diagnostic problem) {
    for (int i = 0; NAMES.contains(problem.code()) && i < found.size(); i++) {
      Diagnostic one = found.get(i);
      if (one.code().equals(problem.code()) && one.message().equals(problem.message())) {
        return i;
      }
    }
    return -1;
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
