// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

/** The names that the blocks of one store refer to by id. */
public record StoreNames(NameTable nodes, NameTable variables) {
  /** Empty tables. */
  public StoreNames() {
    this(new NameTable(), new NameTable());
  }
}
