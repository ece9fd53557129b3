// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import java.util.Optional;

/** A block of a view as its bytes. Used by the view's thread. */
public interface StoredBlock {
  /** Packed stamp that no row of the block is below. */
  long firstHlc();

  /** Packed stamp that no row of the block is above. */
  long lastHlc();

  /** A number that is higher for blocks that arrived later. */
  long arrival();

  /** The number of rows. */
  long rowCount();

  /** Whether the bytes are those of a sealed block; otherwise they are a frame. */
  boolean isSealed();

  /**
   * Reads the bytes.
   *
   * @return empty if they cannot be read, which is damage of the store unless they were removed
   */
  Optional<byte[]> bytes();
}
