// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The failure of a statement, before or while it ran, with its independent errors. */
public final class RqlException extends RuntimeException {
  /**
   * The maximum number of errors of one exception, which is the most that users are likely to read.
   */
  public static final int MAX_DIAGNOSTICS = 20;

  private static final long serialVersionUID = 1;

  private static final Comparator<Diagnostic> BY_PLACE =
      Comparator.comparingInt(diagnostic -> diagnostic.range().start());

  private final transient List<Diagnostic> diagnostics;
  private final String text;

  /**
   * Creates an exception for errors in one text.
   *
   * @param text the whole text that the ranges point into
   * @param diagnostics at least one, in any order; equal ones count once, and those beyond {@link
   *     #MAX_DIAGNOSTICS} are left out
   */
  public RqlException(String text, List<Diagnostic> diagnostics) {
    super(first(diagnostics).code() + ": " + first(diagnostics).message());
    this.text = text;
    this.diagnostics =
        diagnostics.stream().distinct().sorted(BY_PLACE).limit(MAX_DIAGNOSTICS).toList();
  }

  private static Diagnostic first(List<Diagnostic> diagnostics) {
    return Collections.min(diagnostics, BY_PLACE);
  }

  /** The errors, by their place in the text. */
  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /** The text that the ranges point into. */
  public String text() {
    return text;
  }
}
