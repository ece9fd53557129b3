// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import java.util.List;

/** A tournament of lanes that is played again along one path only. Used by one thread. */
final class LoserTree {
  private final Lane[] lanes;

  /** The loser of each match; the first is the winner of all. */
  private final int[] losers;

  LoserTree(List<Lane> lanes) {
    this.lanes = lanes.toArray(new Lane[0]);
    losers = new int[Math.max(1, this.lanes.length)];
    if (this.lanes.length > 1) {
      losers[0] = play(1);
    }
  }

  private int play(int match) {
    if (match >= lanes.length) {
      return match - lanes.length;
    }
    int left = play(2 * match);
    int right = play(2 * match + 1);
    boolean leftWins = isBefore(left, right);
    losers[match] = leftWins ? right : left;
    return leftWins ? left : right;
  }

  /** The lane with the lowest stamp; an ended one if all are. */
  Lane first() {
    return lanes[losers[0]];
  }

  /** Finds the first lane again after the one that was first has moved. */
  void replay() {
    int winner = losers[0];
    for (int match = (winner + lanes.length) / 2; match > 0; match /= 2) {
      if (isBefore(losers[match], winner)) {
        int loser = winner;
        winner = losers[match];
        losers[match] = loser;
      }
    }
    losers[0] = winner;
  }

  private boolean isBefore(int a, int b) {
    Lane x = lanes[a];
    Lane y = lanes[b];
    if (x.isEnded() || y.isEnded()) {
      return !x.isEnded();
    }
    return x.hlc() < y.hlc();
  }
}
