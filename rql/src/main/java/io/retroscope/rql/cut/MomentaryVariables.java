package io.retroscope.rql.cut;

import java.util.Set;

/** The names of the variables that log lines and messages set for exactly their own stamp. */
public final class MomentaryVariables {
  /** The text of a log line, a STRING. */
  public static final String MESSAGE = "message";

  /**
   * The key-value pairs of a log line, a STRUCT. Each pair is also a variable of its own, unless
   * its name is one of these.
   */
  public static final String FIELDS = "fields";

  /** A message that is sent, a STRUCT of {@code to} and {@code id}. */
  public static final String SEND = "send";

  /** A message that is received, a STRUCT of {@code from} and {@code id}. */
  public static final String RECEIVE = "receive";

  /** All of these names. */
  public static final Set<String> ALL = Set.of(MESSAGE, FIELDS, SEND, RECEIVE);

  private MomentaryVariables() {}

  /**
   * Returns whether a log line's pair of this name is a variable of its own. A pair with one of the
   * names above is available only through {@link #FIELDS}.
   */
  public static boolean isVariable(String pair) {
    return !ALL.contains(pair);
  }
}
