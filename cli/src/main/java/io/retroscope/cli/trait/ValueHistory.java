// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import java.util.Arrays;

/** The nodes at which a variable has one value, and when it had it. Used by one thread. */
final class ValueHistory {
  private static final long NEVER = Long.MAX_VALUE;

  private final int index;
  private final int atom;
  private boolean[] on = new boolean[4];
  private long[] since = new long[4];
  private long[] firstAt = {NEVER, NEVER, NEVER, NEVER};
  private int count;
  private long first = NEVER;
  private long twice = NEVER;
  private long longest = -1;
  private long longestAt;

  /**
   * A value that no node has had.
   *
   * @param index among the values of the run
   * @param atom its number in the vocabulary
   */
  ValueHistory(int index, int atom) {
    this.index = index;
    this.atom = atom;
  }

  void begin(int node, long hlc) {
    if (node >= on.length) {
      int before = firstAt.length;
      int size = Math.max(2 * before, node + 1);
      on = Arrays.copyOf(on, size);
      since = Arrays.copyOf(since, size);
      firstAt = Arrays.copyOf(firstAt, size);
      Arrays.fill(firstAt, before, size, NEVER);
    }
    if (!on[node]) {
      on[node] = true;
      since[node] = hlc;
      count++;
    }
  }

  void end(int node, long hlc) {
    if (node < on.length && on[node]) {
      on[node] = false;
      count--;
      lasted(node, hlc);
    }
  }

  /** Takes a cut at which a node has the value. */
  void seen(int node, long hlc) {
    first = Math.min(first, hlc);
    firstAt[node] = Math.min(firstAt[node], hlc);
    if (count >= 2) {
      twice = Math.min(twice, hlc);
    }
  }

  /** Takes the end of the run. */
  void endOfRun(long hlc) {
    for (int node = 0; node < on.length; node++) {
      if (on[node]) {
        lasted(node, hlc);
      }
    }
  }

  private void lasted(int node, long hlc) {
    long micros = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(since[node]);
    if (micros > longest) {
      longest = micros;
      longestAt = since[node];
    }
  }

  boolean isAt(int node) {
    return node < on.length && on[node];
  }

  int index() {
    return index;
  }

  int atom() {
    return atom;
  }

  boolean wasSeen() {
    return first != NEVER;
  }

  long first() {
    return first;
  }

  /** The first stamp at a node; {@link Long#MAX_VALUE} without one. */
  long firstAt(int node) {
    return node < firstAt.length ? firstAt[node] : NEVER;
  }

  /** Adds the traits that need no other value. */
  void addTo(RunTraits traits, int[] nodes) {
    traits.hold(TraitKind.HELD, atom, 0, first);
    for (int node = 0; node < nodes.length; node++) {
      if (firstAt(node) != NEVER) {
        traits.hold(TraitKind.HELD_AT, nodes[node], atom, firstAt(node));
      }
    }
    if (twice != NEVER) {
      traits.hold(TraitKind.HELD_TWICE, atom, 0, twice);
    }
    if (longest > 0) {
      traits.measure(TraitKind.LASTED, atom, 0, (double) longest, longestAt);
    }
  }
}
