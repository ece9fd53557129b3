// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import java.util.Optional;

/**
 * One error for users.
 *
 * @param code stable, {@code RQL} and four digits
 * @param message one sentence without a final full stop
 * @param range the exact place in the text
 * @param help advice, if there is any that is known to be right
 */
public record Diagnostic(String code, String message, SourceRange range, Optional<String> help) {
  /** Returns the same error with help. */
  public Diagnostic withHelp(String newHelp) {
    return new Diagnostic(code, message, range, Optional.of(newHelp));
  }
}
