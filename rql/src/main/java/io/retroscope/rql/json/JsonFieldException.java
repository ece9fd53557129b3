// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

/** The rejection of a JSON text, with the field and the reason. */
final class JsonFieldException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String field;
  private final String reason;

  JsonFieldException(String field, String reason) {
    super(field + ": " + reason, null, false, false);
    this.field = field;
    this.reason = reason;
  }

  String field() {
    return field;
  }

  String reason() {
    return reason;
  }
}
