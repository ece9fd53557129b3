// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.rql.cut.state.StateBlocks;
import java.util.List;

/**
 * Which nodes write which variables by state changes in a sealed block, whose zone map knows only
 * the nodes and the variables. Immutable.
 */
public record Writers(List<Part> parts) {
  private static final long ENTRY_BYTES = 160;
  private static final long PART_BYTES = 80;
  private static final long NODE_BYTES = 8;

  /**
   * The writers of one variable.
   *
   * @param lastHlc packed, the stamp that none of their writes is above
   */
  public record Part(String variable, List<String> nodes, long lastHlc) {
    /** Copies the nodes. */
    public Part {
      nodes = List.copyOf(nodes);
    }
  }

  /** Copies the parts. */
  public Writers {
    parts = List.copyOf(parts);
  }

  /** An estimate of the memory, in which the names are not counted: others have them too. */
  public long memoryBytes() {
    long bytes = ENTRY_BYTES;
    for (Part part : parts) {
      bytes += PART_BYTES + NODE_BYTES * part.nodes().size();
    }
    return bytes;
  }

  /** Whether a test holds for the writers of a variable of the block's log. */
  boolean matter(String log, StateBlocks.Writes test) {
    for (Part part : parts) {
      if (test.matter(
          log, List.of(part.variable()), part.lastHlc(), part.nodes().stream()::anyMatch)) {
        return true;
      }
    }
    return false;
  }
}
