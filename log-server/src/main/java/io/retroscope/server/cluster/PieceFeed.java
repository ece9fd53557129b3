// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of one scan of a partition, in the order of their stamps. Used by one thread; another
 * may close it, which ends a wait for the next piece.
 */
interface PieceFeed extends AutoCloseable {
  /**
   * Returns the next piece; null after the last one.
   *
   * @throws IOException if the feed broke off, so that it is not known whether there are more
   */
  @Nullable Piece next() throws IOException;

  @Override
  void close();
}
