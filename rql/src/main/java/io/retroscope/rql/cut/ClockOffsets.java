package io.retroscope.rql.cut;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The nodes' clock offsets from one reference node, as far as they are known. Thread-safe. */
public interface ClockOffsets {
  /** Nothing is known of any clock. */
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
   * What to add to a raw reading of {@code node} around {@code hlc} to get the reference node's
   * reading.
   *
   * @return empty where nothing is known of the node's clock
   */
  Optional<Offset> offset(String node, long hlc);

  /** What is known of every node's clock at the newest evidence, nodes in natural order. */
  default List<NodeAlignment> alignment() {
    return List.of();
  }

  /**
   * An offset and its bounds.
   *
   * @param estimateMicros the best guess
   * @param lowMicros lower bound, empty when unbounded
   * @param highMicros upper bound, empty when unbounded
   */
  record Offset(long estimateMicros, OptionalLong lowMicros, OptionalLong highMicros) {}
}
