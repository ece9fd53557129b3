package io.retroscope.rql.diagnostic;

import java.util.List;

/** A statement is wrong, or failed while it ran; holds every independent error. */
public final class RqlException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<Diagnostic> diagnostics;
  private final String text;

  /**
   * Errors in one text.
   *
   * @param text the whole text that the ranges point into
   * @param diagnostics at least one
   */
  public RqlException(String text, List<Diagnostic> diagnostics) {
    super(diagnostics.get(0).code() + ": " + diagnostics.get(0).message());
    this.text = text;
    this.diagnostics = List.copyOf(diagnostics);
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
