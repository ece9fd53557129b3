// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import java.util.Locale;

/** A number that is read at each scrape from the part of the server that owns it. */
public enum Reading {
  READY("1 while /health/ready says so"),
  STORE_WRITABLE("1 while events can be stored"),
  DISK_FREE_BYTES("Free space on the disk of the data directory"),
  THREADS_ENDED("Required threads of the server that have ended"),
  QUERIES_RUNNING("Running historical queries"),
  STREAMS_RUNNING("Running live queries"),
  LINES_RUNNING("Running requests for log lines"),
  SOCKETS_OPEN("Connections of nodes"),
  BATCHES_READING("Batches whose bodies are being read"),
  BLOCKS("Blocks stored"),
  BLOCKS_UNSEALED("Blocks that are stored as they arrived, and are yet to be sealed"),
  EVENTS_QUARANTINED("Events in quarantine: their stamps are too far in the future"),
  EVENTS_LOST("Events that senders declared lost"),
  SUBMISSIONS_WAITING("Submissions that wait to be written"),
  SUBMISSIONS_WAITING_BYTES("Memory of the submissions that wait to be written"),
  STORE_FILE_BYTES("Size of the store's sorted files"),
  MEMORY_USED_BYTES("Bytes charged to the memory budget of the process"),
  MEMORY_LIMIT_BYTES("The memory budget of the process: half of its heap"),
  MEMORY_REFUSED(Kind.COUNTER, "Charges refused because the memory budget was used up"),
  BLOCK_CACHE_BYTES("Memory of cached blocks"),
  BLOCKS_DAMAGED("Blocks that were found to be damaged and are left out of answers"),
  LOSSES("Losses of acknowledged events that starts with --recover recorded in LOSSES"),
  INPUTS_REJECTED(Kind.COUNTER, "Inputs kept in rejected/"),
  BLOCKS_FORGOTTEN_REFUSED(Kind.COUNTER, "Blocks refused because FORGET NODE had closed their run"),
  NODES("Nodes that live queries wait for"),
  NODES_MISSING("Nodes excluded from live queries as silent"),
  NODES_OVERLAPPING("Nodes of which two runs assigned stamps at the same time"),
  WATERMARK_LAG_SECONDS("Lag of the watermark relative to the server's clock"),
  WATERMARK_HELD_SECONDS(
      "Time for which rows are held because nodes' clocks are ahead of the server's"),
  ALERTS("Alerts that the server evaluates"),
  ALERTS_FIRING("Episodes of alerts that hold"),
  ALERTS_DOUBTFUL("Alerts whose health is not ok: a node is silent, or the evaluation is behind"),
  NOTICES_WAITING("Messages about alerts that a receiver has not accepted yet"),
  NOTICES_SENT(Kind.COUNTER, "Messages about alerts that receivers have accepted"),
  NOTICES_FAILED(Kind.COUNTER, "Deliveries of messages about alerts that failed and are repeated"),
  NOTICES_DROPPED(Kind.COUNTER, "Messages about alerts that were given up"),
  KAFKA_RECORDS(Kind.COUNTER, "Records read"),
  KAFKA_READ_BYTES(Kind.COUNTER, "Bytes of record values read"),
  KAFKA_RECORDS_FOREIGN(Kind.COUNTER, "Records skipped: no blocks of events"),
  KAFKA_RECORDS_REFUSED(Kind.COUNTER, "Records kept in rejected/"),
  KAFKA_PARTITIONS("Partitions that are read"),
  KAFKA_LAG_RECORDS("Unread records in the topic"),
  KAFKA_LAG_SECONDS("Age of the last instant up to which the topic is stored"),
  KAFKA_TROUBLE("1 while the topic cannot be read"),
  CLUSTER_PARTITIONS("Partitions that this server owns"),
  CLUSTER_COPIES("Copies of partitions that this server has"),
  CLUSTER_PARTITIONS_HOLDING("Partitions for which live queries wait"),
  CLUSTER_LAG_RECORDS("Records of partitions and copies here that are yet to be stored");

  private enum Kind {
    COUNTER,
    GAUGE
  }

  private final Kind kind;
  private final String help;

  Reading(String help) {
    this(Kind.GAUGE, help);
  }

  Reading(Kind kind, String help) {
    this.kind = kind;
    this.help = help;
  }

  String help() {
    return help;
  }

  /** Whether the value only increases. */
  public boolean isCounter() {
    return kind == Kind.COUNTER;
  }

  /** Its name in the text format. */
  public String metricName() {
    return isCounter() ? baseName() + "_total" : baseName();
  }

  /** The name without a counter's suffix, which Micrometer adds. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
