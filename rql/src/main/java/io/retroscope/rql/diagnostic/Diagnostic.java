package io.retroscope.rql.diagnostic;

import java.util.Optional;

/**
 * One error, as a person reads it.
 *
 * @param code stable, {@code RQL} and four digits
 * @param message one sentence without a final full stop
 * @param range the exact place in the text
 * @param help what to do about it, where something honest can be said
 */
public record Diagnostic(String code, String message, SourceRange range, Optional<String> help) {
  /** The same error with help. */
  public Diagnostic withHelp(String newHelp) {
    return new Diagnostic(code, message, range, Optional.of(newHelp));
  }
}
