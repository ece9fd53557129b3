// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import java.util.Locale;
import java.util.Optional;

/**
 * Something that receivers learn of an episode. Immutable.
 *
 * @param number of the notice among those of its episode, from 1
 * @param isCorrection whether it replaces what an earlier one said
 * @param reason why, if it is not the predicate itself; may be empty
 * @param rise empty if the edges of the episode are no longer known
 * @param fall the end, if it is over
 */
public record Notice(
    String episode,
    String item,
    Kind kind,
    int number,
    boolean isCorrection,
    String reason,
    Optional<Edge> rise,
    Optional<Edge> fall) {
  /** The kinds. */
  public enum Kind {
    FIRING,
    RESOLVED
  }

  /** The key by which a receiver recognizes a repetition. */
  public String key() {
    return "%s/%s-%d".formatted(episode, kind.name().toLowerCase(Locale.ROOT), number);
  }
}
