package io.retroscope.rql.json;

/** A JSON text does not hold what it should: which field, and why. */
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
