package io.retroscope.rql.cut;

import java.util.Set;

/**
 * What a walk looks at, so that storage may leave out events that make no difference to it. Used by
 * the walk's thread.
 */
public interface Interest {
  /** The logs that it reads. */
  Set<String> logs();

  /** Whether it looks at the values of a variable. */
  boolean follows(String log, String variable);

  /** Whether what the node records counts. */
  boolean counts(String node);

  /** Whether it asks how old values are: then a write of an equal value is no write of another. */
  boolean asksAges();

  /** Whether nobody waits for the answer any more; what storage then gives does not matter. */
  boolean isCancelled();
}
