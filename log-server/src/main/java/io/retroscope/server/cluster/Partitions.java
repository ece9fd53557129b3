// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.store.disk.StoreException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The stores of partitions that are open in this process, owned or as copies. Thread-safe. */
final class Partitions {
  private final String topicId;
  private final Map<Integer, PartitionStore> open = new ConcurrentHashMap<>();

  Partitions(String topicId) {
    this.topicId = topicId;
  }

  void opened(int partition, PartitionStore store) {
    open.put(partition, store);
  }

  void closed(int partition, PartitionStore store) {
    open.remove(partition, store);
  }

  /** The offset after the last stored record of each partition. */
  Map<Integer, Long> offsets() {
    Map<Integer, Long> offsets = new TreeMap<>();
    open.forEach((partition, store) -> offsets.put(partition, store.next()));
    return offsets;
  }

  /** The stores, for housekeeping. */
  Map<Integer, PartitionStore> all() {
    return Map.copyOf(open);
  }

  /** Why a partition cannot be opened here, in one sentence. */
  String absence(Opening opening) {
    PartitionStore store = open.get(opening.partition());
    Optional<String> trouble = store == null ? Optional.empty() : store.trouble();
    return trouble.orElseGet(
        () ->
            "partition %d is not here, or has not reached offset %d"
                .formatted(opening.partition(), opening.offset()));
  }

  /** A partition; empty if it is not here, is damaged, or has not reached an offset. */
  Optional<StoredPart> open(Opening opening) {
    PartitionStore store = open.get(opening.partition());
    if (store == null || !opening.topicId().equals(topicId) || store.next() < opening.offset()) {
      return Optional.empty();
    }
    try {
      return store.part();
    } catch (StoreException e) {
      return Optional.empty();
    }
  }
}
