// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import java.util.HashMap;
import java.util.Map;

/** The longest time without an event of each node. Used by one thread. */
final class SignsOfNodes {
  /** A node that is seen so often is not silent, as in RQL. */
  private static final long LEAST_MICROS = 100_000;

  private final Map<Integer, Sign> signs = new HashMap<>();

  /** The signs of one node. */
  private static final class Sign {
    private long last;
    private long longest;
    private long longestAt;
    private int variable = -1;
    private boolean isStopped;
    private long promised = LEAST_MICROS;

    void sign(long hlc) {
      long micros = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(last);
      if (!isStopped && variable >= 0 && micros > promised && micros > longest) {
        longest = micros;
        longestAt = last;
      }
      last = hlc;
      isStopped = false;
    }
  }

  /** Takes an event of a node. */
  void sign(int node, long hlc) {
    signs.computeIfAbsent(node, added -> new Sign()).sign(hlc);
  }

  /** Takes a heartbeat, with which a node promises the next one. */
  void promised(int node, long micros) {
    signs.computeIfAbsent(node, added -> new Sign()).promised = Math.max(LEAST_MICROS, micros);
  }

  /** Takes a variable that a node has; silence is measured where a node has a value. */
  void variable(int node, int number) {
    Sign sign = signs.computeIfAbsent(node, added -> new Sign());
    sign.variable = sign.variable < 0 ? number : sign.variable;
  }

  /** Takes an orderly stop, after which a node is not silent. */
  void stopped(int node) {
    signs.computeIfAbsent(node, added -> new Sign()).isStopped = true;
  }

  /** Adds the traits at the end of a run. */
  void addTo(RunTraits traits, int[] nodes, long end) {
    signs.forEach(
        (node, sign) -> {
          sign.sign(end);
          if (sign.variable >= 0 && sign.longest > 0) {
            traits.measure(
                TraitKind.SILENT,
                nodes[node],
                sign.variable,
                (double) sign.longest,
                sign.longestAt);
          }
        });
  }
}
