// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.walk;

import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.presence.SilentNodes;
import io.retroscope.rql.cut.state.CutTimers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A listener to the cuts of a walk, in order. Called by one thread. */
public interface CutListener extends SilentNodes.Listener {
  /** Receives a cut before the range, which is read only if the walk begins there. */
  default void earlier(long hlc) {}

  /**
   * Receives the state just before the range, if the range begins at a stamp with events. It is no
   * cut.
   */
  default void beforeStart() {}

  /**
   * Receives the state at the start of the range if no followed variable is written there.
   *
   * @return whether the walk continues
   */
  boolean start(long hlc);

  /**
   * Receives a cut: a followed variable was written or unset at this stamp.
   *
   * @return whether the walk continues
   */
  boolean cut(long hlc);

  /**
   * Receives which nodes are silent from a stamp on, before the cuts there. Of cuts that were
   * passed over, it receives each change with its own stamp, before {@link #passed}.
   */
  @Override
  default void silent(long hlc, List<SilentNode> nodes) {}

  /**
   * Receives a stamp below which no further cut comes.
   *
   * @return whether the walk continues
   */
  boolean reached(long hlc);

  /**
   * Returns the rule that shows which of the next cuts the listener does not want; null if it wants
   * the next one in any case. The rule is valid until the next call of another method.
   */
  default @Nullable QuietRule quietRule() {
    return null;
  }

  /**
   * Receives the numbers of cuts and events that were passed over by the rule.
   *
   * @param lastCut packed, the stamp of the last cut, if there is one; not every event makes a cut
   * @param hlc packed, the stamp of the last event
   * @return whether the walk continues
   */
  default boolean passed(long cuts, long events, long lastCut, long hlc) {
    return true;
  }

  /**
   * Returns the packed stamp from which on the listener must receive {@link #reached} even if the
   * rule shows that nothing happens.
   */
  default long deadline() {
    return CutTimers.NEVER;
  }

  /**
   * Returns the packed stamp at which the listener must receive {@link #reached} before the walk
   * looks for the next timer, because it may set one there; not above {@link #deadline}.
   */
  default long entrance() {
    return CutTimers.NEVER;
  }

  /** Returns whether the cuts are no longer wanted. */
  boolean isCancelled();

  /** Receives a warning that affects the meaning of the result. */
  void warning(EventWarning warning);
}
