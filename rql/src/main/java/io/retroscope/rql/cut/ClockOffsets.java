// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The known clock offsets of the nodes from one reference node. Thread-safe. */
public interface ClockOffsets {
  /** The offsets of a source without any information about clocks. */
  ClockOffsets UNKNOWN =
      new ClockOffsets() {
        @Override
        public Optional<String> referenceNode() {
          return Optional.empty();
        }

        @Override
        public Optional<Offset> offset(String node, long hlc) {
          return Optional.empty();
        }
      };

  /** The node on whose clock aligned times are shown, usually the driver. */
  Optional<String> referenceNode();

  /**
   * Returns the offset to add to a raw reading of {@code node} around {@code hlc} to get the
   * reference node's reading.
   *
   * @return empty if nothing is known about the node's clock
   */
  Optional<Offset> offset(String node, long hlc);

  /**
   * The alignment of every node's clock at the newest evidence, nodes in natural order. Nodes that
   * only messages between them link are aligned with the highest clock among them.
   */
  default List<NodeAlignment> alignment() {
    return List.of();
  }

  /**
   * The nodes that were the driver, oldest first, each until the next one; the last is the present
   * driver. Very old ones are left out.
   */
  default List<Driver> drivers() {
    return List.of();
  }

  /**
   * Whether a node's clock stepped, or may have, after one stamp of the node and not after another.
   *
   * @param fromHlc packed
   * @param toHlc packed, not before {@code fromHlc}
   */
  default boolean mayHaveStepped(String node, long fromHlc, long toHlc) {
    return false;
  }

  /**
   * The messages that were received at or before their sends, by their stamps, and the ranges in
   * which stamps were ahead of every clock.
   */
  default List<Incompleteness> contradictions() {
    return List.of();
  }

  /**
   * A node that became the driver.
   *
   * @param sinceHlc packed
   */
  record Driver(String node, long sinceHlc) {}

  /**
   * An offset and its bounds.
   *
   * @param estimateMicros the best estimate
   * @param lowMicros lower bound, empty if unbounded
   * @param highMicros upper bound, empty if unbounded
   */
  record Offset(long estimateMicros, OptionalLong lowMicros, OptionalLong highMicros) {}
}
