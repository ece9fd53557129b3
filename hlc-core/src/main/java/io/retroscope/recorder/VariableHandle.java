package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/** One variable of one log, resolved once. Equal if both names are. */
final class VariableHandle {
  final String log;
  final String variable;

  /* Where the names stand in the drainer's current block; the drainer's alone. */
  @Nullable BlockAssembler assembler;
  long blockNumber;
  int logIndex;
  int nameIndex;

  VariableHandle(String log, String variable) {
    this.log = log;
    this.variable = variable;
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
