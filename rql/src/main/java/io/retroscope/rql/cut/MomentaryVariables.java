package io.retroscope.rql.cut;

/** Names of the variables that log lines and messages set for exactly their own stamp. */
public final class MomentaryVariables {
  /** A log line's text, a STRING. */
  public static final String MESSAGE = "message";

  /** A log line's key-value pairs, a STRUCT; each pair is a variable by itself, too. */
  public static final String FIELDS = "fields";

  /** A message that leaves, a STRUCT of {@code to} and {@code id}. */
  public static final String SEND = "send";

  /** A message that arrives, a STRUCT of {@code from} and {@code id}. */
  public static final String RECEIVE = "receive";

  private MomentaryVariables() {}
}
