package io.retroscope.server.metrics;

import java.util.Locale;

/** A counter since the start, incremented by the code that counts. */
public enum Count {
  EVENTS_ACCEPTED("Events stored, from all sources"),
  EVENTS_DUPLICATE("Events that were already stored and were skipped"),
  BATCHES_REFUSED("Batches refused, over HTTP and WebSocket"),
  QUERIES("Historical queries started"),
  QUERIES_SLOW("Historical queries that took longer than the logging threshold"),
  STREAMS("Live queries started"),
  ROWS("Rows found"),
  REQUESTS_FAILED("Requests that failed because of an error in the server");

  private final String help;

  Count(String help) {
    this.help = help;
  }

  String help() {
    return help;
  }

  /** Its name in the text format. */
  public String metricName() {
    return baseName() + "_total";
  }

  /** The name without the suffix, which Micrometer adds. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
