package io.retroscope.server.metrics;

import java.util.Locale;

/** A count of something since the start, which the code that does it adds to. */
public enum Count {
  EVENTS_ACCEPTED("Events stored, over all ways in"),
  EVENTS_DUPLICATE("Events that were there already and were skipped"),
  BATCHES_REFUSED("Batches refused, over HTTP and WebSocket"),
  QUERIES("Historical queries begun"),
  QUERIES_SLOW("Historical queries that took longer than the threshold of the log"),
  STREAMS("Live queries begun"),
  ROWS("Rows found"),
  REQUESTS_FAILED("Requests that failed because of a fault of the server");

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

  /** Micrometer adds the end. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
