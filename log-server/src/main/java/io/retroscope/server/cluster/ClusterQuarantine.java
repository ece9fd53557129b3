// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.kafka.Directive;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.QuarantineAccess;
import io.retroscope.server.store.QuarantineSelection;
import io.retroscope.server.store.Receipt;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The quarantines of all partitions. A release or a purge is a directive to each partition, whose
 * stores follow it at the same offset. Thread-safe.
 */
final class ClusterQuarantine implements QuarantineAccess {
  private final ClusterSource source;
  private final EventProducer producer;

  ClusterQuarantine(ClusterSource source, EventProducer producer) {
    this.source = source;
    this.producer = producer;
  }

  /**
   * {@inheritDoc}
   *
   * @throws PartitionException if no server has a partition within the deadline
   */
  @Override
  public List<QuarantinedEvents> quarantined() {
    return source.quarantines().values().stream().flatMap(part -> part.events().stream()).toList();
  }

  @Override
  public Receipt releaseQuarantined(QuarantineSelection selection) {
    return direct(Directive.Quarantined.of(selection, true));
  }

  @Override
  public Receipt purgeQuarantined(QuarantineSelection selection) {
    return direct(Directive.Quarantined.of(selection, false));
  }

  /** Waits until each partition with quarantined events has followed the directive. */
  private Receipt direct(Directive.Quarantined directive) {
    Map<Integer, Long> ends = new TreeMap<>();
    source
        .quarantines()
        .forEach(
            (partition, part) -> {
              if (!part.events().isEmpty()) {
                ends.put(partition, producer.direct(partition, directive) + 1);
              }
            });
    Receipt sum = Receipt.NOTHING;
    Map<Integer, PartQuarantine> after = source.quarantines(ends);
    for (Map.Entry<Integer, Long> end : ends.entrySet()) {
      int partition = end.getKey();
      PartQuarantine part = Objects.requireNonNull(after.get(partition));
      sum = sum.plus(receipt(partition, end.getValue() - 1, part));
    }
    return sum;
  }

  private static Receipt receipt(int partition, long offset, PartQuarantine part) {
    Receipt known = part.receipts().get(offset);
    return Optional.ofNullable(known)
        .orElseThrow(
            () ->
                new PartitionException(
                    "the selection was applied to partition %d, but the server that did so has ended meanwhile, so that the numbers of events are not known: list the quarantine"
                        .formatted(partition)));
  }
}
