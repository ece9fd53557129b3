// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import org.antlr.v4.runtime.Token;

/** A failure to parse because the nesting limit was exceeded at a token. */
final class NestingLimitException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Token token;

  NestingLimitException(Token token) {
    super("nested too deep at " + token.getStartIndex(), null, false, false);
    this.token = token;
  }

  Token token() {
    return token;
  }
}
