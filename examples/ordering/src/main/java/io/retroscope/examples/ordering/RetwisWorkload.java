// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The mix of transactions of Retwis, a small Twitter, with which Speculative Paxos was measured: 5
 * % add a user (1 read, 3 writes), 15 % follow (2, 2), 30 % post (3, 5), and 50 % load a timeline
 * (1 to 10 reads). Keys are drawn evenly. Used by one thread.
 */
final class RetwisWorkload {
  private static final int KEY_COUNT = 1_000;
  private static final int LONGEST_TIMELINE = 10;

  private final Random random;

  RetwisWorkload(Random random) {
    this.random = random;
  }

  /** The next transaction. */
  Transaction next() {
    int percent = random.nextInt(100);
    if (percent < 5) {
      return transaction(1, 3);
    }
    if (percent < 20) {
      return transaction(2, 2);
    }
    if (percent < 50) {
      return transaction(3, 5);
    }
    return transaction(1 + random.nextInt(LONGEST_TIMELINE), 0);
  }

  private Transaction transaction(int reads, int writes) {
    return new Transaction(keys(reads), keys(writes));
  }

  private List<String> keys(int count) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add("k" + random.nextInt(KEY_COUNT));
    }
    return keys;
  }
}
