package io.retroscope.rql.cut;

import java.util.Set;

/** Names of the variables that log lines and messages set for exactly their own stamp. */
public final class MomentaryVariables {
  /** A log line's text, a STRING. */
  public static final String MESSAGE = "message";

  /**
   * A log line's key-value pairs, a STRUCT; each pair is a variable by itself, too, unless it is
   * called like one of these.
   */
  public static final String FIELDS = "fields";

  /** A message that leaves, a STRUCT of {@code to} and {@code id}. */
  public static final String SEND = "send";

  /** A message that arrives, a STRUCT of {@code from} and {@code id}. */
  public static final String RECEIVE = "receive";

  /** All of them. */
  public static final Set<String> ALL = Set.of(MESSAGE, FIELDS, SEND, RECEIVE);

  private MomentaryVariables() {}

  /**
   * Whether a log line's pair of this name is a variable by itself. One that is called like what
   * lines and messages set is reached through {@link #FIELDS} only.
   */
  public static boolean isVariable(String pair) {
    return !ALL.contains(pair);
  }
}
