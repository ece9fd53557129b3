// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/** One variable of one log, resolved once. Handles are equal if both names are. */
final class VariableHandle {
  final String log;
  final String variable;

  /* The indexes of the names in the drainer's current block; accessed by the drainer only. */
  @Nullable BlockAssembler assembler;
  long blockNumber;
  int logIndex;
  int nameIndex;

  /** The memory that holding the handle costs: 0 if its log keeps it. */
  final int heldBytes;

  /** A handle that its log keeps. */
  VariableHandle(String log, String variable) {
    this(log, variable, true);
  }

  VariableHandle(String log, String variable, boolean kept) {
    this.log = log;
    this.variable = variable;
    this.heldBytes = kept ? 0 : Footprint.of(log) + Footprint.of(variable);
  }

  /** Whether its log keeps it for further events. */
  boolean isKept() {
    return heldBytes == 0;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof VariableHandle that
            && log.equals(that.log)
            && variable.equals(that.variable));
  }

  @Override
  public int hashCode() {
    return 31 * log.hashCode() + variable.hashCode();
  }

  @Override
  public String toString() {
    return log + "." + variable;
  }
}
