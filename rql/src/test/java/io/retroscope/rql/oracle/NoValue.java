// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

/** The absence of a value. */
final class NoValue extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoValue(String message) {
    super(message);
  }
}
