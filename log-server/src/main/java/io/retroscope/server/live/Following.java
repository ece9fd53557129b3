// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

/** A live query that follows the watermark until it ends, or is closed. Thread-safe. */
@FunctionalInterface
public interface Following extends AutoCloseable {
  /** Ends the query soon, and notifies its sink. */
  @Override
  void close();
}
