package io.retroscope.rql.engine;

/** A statement that was parsed and checked, ready to run as often as wanted. Immutable. */
public final class PreparedQuery {
  private final String text;
  private final boolean stream;

  PreparedQuery(String text, boolean stream) {
    this.text = text;
    this.stream = stream;
  }

  /** As written. */
  public String text() {
    return text;
  }

  /** Whether it says STREAM: to be opened by {@link QueryEngine#openLive}, not to be run. */
  public boolean isStream() {
    return stream;
  }
}
