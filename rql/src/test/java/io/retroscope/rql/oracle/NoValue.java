package io.retroscope.rql.oracle;

/** There is no value. */
final class NoValue extends RuntimeException {
  private static final long serialVersionUID = 1;

  NoValue(String message) {
    super(message);
  }
}
