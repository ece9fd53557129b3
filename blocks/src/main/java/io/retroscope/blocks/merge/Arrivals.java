// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

/** The {@link BlockSource#arrival} of the blocks that rows arrived in. */
interface Arrivals {
  /** The number of a row's block. */
  long of(int row);
}
