// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Extent;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The reasons that every answer of a cluster has about records that are in the topic and not in the
 * stores. They depend on nothing but the records, so that all stores state the same.
 */
final class RefusedRecord {
  private RefusedRecord() {}

  /**
   * The reason of a record that is refused: it was acknowledged.
   *
   * @param frames what it has; empty if that is not known, so that any event may be concerned
   */
  static Incompleteness of(int partition, long offset, List<EncodedFrame> frames, String reason) {
    return new Incompleteness.Reported(
        "record %d of partition %d was acknowledged and refused: %s"
            .formatted(offset, partition, reason),
        extent(frames));
  }

  /**
   * The reason of records that were not read. Kafka Streams leaves out records without a key when
   * it restores a copy; there they look like the marks of transactions.
   */
  static Incompleteness passedOver(int partition) {
    return new Incompleteness.Reported(
        "records of partition %d without a key, or marks of a transaction, were left out: the key of a record must be the name of its node"
            .formatted(partition));
  }

  /** The reason of records that were removed before the store began. */
  static Incompleteness removed(int partition, long begin) {
    return new Incompleteness.Reported(
        "records 0 to %d of partition %d were removed from the topic before this store began"
            .formatted(begin - 1, partition));
  }

  private static Extent extent(List<EncodedFrame> frames) {
    Set<String> nodes = new TreeSet<>();
    long from = HlcRange.ALL.to();
    long to = HlcRange.ALL.from();
    for (EncodedFrame frame : frames) {
      BlockFrame content = frame.content();
      if (content instanceof LostBlocks lost) {
        nodes.add(lost.node());
        from = Math.min(from, lost.firstHlc());
        to = Math.max(to, lost.lastHlc());
      } else if (content instanceof EventBlock block) {
        nodes.addAll(block.nodes());
        from = Math.min(from, block.firstHlc());
        to = Math.max(to, block.lastHlc());
      }
    }
    return from <= to ? new Extent(nodes, new HlcRange(from, to)) : Extent.ALL;
  }
}
