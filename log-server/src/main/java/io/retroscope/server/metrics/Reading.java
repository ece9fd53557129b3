package io.retroscope.server.metrics;

import java.util.Locale;

/** A number that is read at each scrape, from the part of the server that owns it. */
public enum Reading {
  READY("1 while /health/ready says so"),
  STORE_WRITABLE("1 while events can be stored"),
  DISK_FREE_BYTES("Room on the disk of the data directory"),
  THREADS_ENDED("Threads of the server that have ended although it needs them"),
  QUERIES_RUNNING("Historical queries that run"),
  STREAMS_RUNNING("Live queries that run"),
  LINES_RUNNING("Requests for log lines that run"),
  SOCKETS_OPEN("Connections of nodes"),
  BATCHES_READING("Batches whose bodies are being read"),
  BLOCKS("Blocks stored"),
  EVENTS_QUARANTINED("Events kept aside: stamped too far in the future"),
  EVENTS_LOST("Events that senders declared lost"),
  SUBMISSIONS_WAITING("Submissions that wait to be written"),
  SUBMISSIONS_WAITING_BYTES("Memory of the submissions that wait to be written"),
  STORE_FILE_BYTES("Size of the store's sorted files"),
  MEMORY_USED_BYTES("What is charged to the memory budget of the process"),
  MEMORY_LIMIT_BYTES("The memory budget of the process: half of its heap"),
  MEMORY_REFUSED(Kind.COUNTER, "Requests and decodings refused because the budget was used up"),
  BLOCK_CACHE_BYTES("Memory of the blocks that are kept there"),
  BLOCKS_DAMAGED("Blocks that were found to be damaged and are left out of answers"),
  INPUTS_REJECTED(Kind.COUNTER, "Inputs kept in rejected/"),
  BLOCKS_FORGOTTEN_REFUSED(Kind.COUNTER, "Blocks refused because FORGET NODE had closed their run"),
  NODES("Nodes that live queries wait for"),
  NODES_MISSING("Nodes left out of live queries as silent"),
  WATERMARK_LAG_SECONDS("How far the watermark is behind the server's clock"),
  WATERMARK_HELD_SECONDS("How long rows are held because nodes' clocks are ahead of the server's"),
  KAFKA_RECORDS(Kind.COUNTER, "Records read"),
  KAFKA_READ_BYTES(Kind.COUNTER, "Bytes of their values"),
  KAFKA_RECORDS_FOREIGN(Kind.COUNTER, "Records passed over: no blocks of events"),
  KAFKA_RECORDS_REFUSED(Kind.COUNTER, "Records kept in rejected/"),
  KAFKA_PARTITIONS("Partitions that are read"),
  KAFKA_LAG_RECORDS("Records that wait in the topic"),
  KAFKA_LAG_SECONDS("All that was in the topic this long ago is stored"),
  KAFKA_TROUBLE("1 while the topic cannot be read");

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

  /** Whether it only ever grows. */
  public boolean isCounter() {
    return kind == Kind.COUNTER;
  }

  /** Its name in the text format. */
  public String metricName() {
    return isCounter() ? baseName() + "_total" : baseName();
  }

  /** Micrometer adds the end of a counter. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
