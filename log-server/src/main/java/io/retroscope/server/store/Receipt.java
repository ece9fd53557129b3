// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

/**
 * The result of a durably stored submission.
 *
 * @param accepted events that were new, including heartbeats
 * @param duplicates events that were stored before
 * @param quarantined those of the accepted events that are in quarantine because their stamps are
 *     too far in the future
 */
public record Receipt(long accepted, long duplicates, long quarantined) {
  /** The result of a submission of nothing. */
  public static final Receipt NOTHING = new Receipt(0, 0, 0);

  /** The result of both submissions. */
  public Receipt plus(Receipt other) {
    return new Receipt(
        accepted + other.accepted, duplicates + other.duplicates, quarantined + other.quarantined);
  }
}
