// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

import java.util.List;

/** The messages between nodes that a survey found. Immutable. */
public final class Messages {
  /** No messages, because none was looked for. */
  public static final Messages NONE = new Messages(new long[0], 0, List.of());

  /** The bound of a receive whose send is not known. */
  static final long NO_CAUSE = Long.MIN_VALUE;

  /** The bound of a receive that contradicts the order of the others. */
  static final long DROPPED = Long.MIN_VALUE + 1;

  private final long[] bounds;
  private final long count;
  private final List<String> contradictions;

  Messages(long[] bounds, long count, List<String> contradictions) {
    this.bounds = bounds.clone();
    this.count = count;
    this.contradictions = contradictions;
  }

  /** The lowest packed stamp of a receive, by its place among the receives that were read. */
  long bound(int receive) {
    return bounds[receive];
  }

  int receiveCount() {
    return bounds.length;
  }

  /** The number of messages that are part of the order. */
  public long count() {
    return count;
  }

  /** Sentences about messages that are not part of the order. */
  List<String> contradictions() {
    return contradictions;
  }
}
