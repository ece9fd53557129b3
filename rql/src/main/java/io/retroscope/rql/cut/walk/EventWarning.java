// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.walk;

import io.retroscope.clock.HlcTimestamp;
import java.util.HashSet;
import java.util.Set;

/**
 * A warning about an event that affects the meaning of a result. Immutable.
 *
 * @param hlc packed, the stamp of the event
 * @param what what the event is or does
 */
public record EventWarning(String node, long hlc, String what) {
  /** The sentence for users. */
  public String sentence() {
    return "node %s: the event at %s %s".formatted(node, new HlcTimestamp(hlc), what);
  }

  /** The warnings that were made: of each node, each once, and of all nodes a limited number. */
  public static final class Made {
    private static final int LIMIT = 100;

    private final Set<String> made = new HashSet<>();

    /** Adds a warning; returns whether it is to be made. */
    public boolean add(EventWarning warning) {
      return made.size() < LIMIT && made.add(warning.node + "\0" + warning.what);
    }
  }
}
