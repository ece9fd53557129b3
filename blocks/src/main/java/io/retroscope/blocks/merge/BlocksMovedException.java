// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

/** A store has no more blocks where it was, but {@link BlockSets} have found it elsewhere. */
public final class BlocksMovedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception. */
  public BlocksMovedException(Throwable cause) {
    super("a store has moved", cause);
  }
}
