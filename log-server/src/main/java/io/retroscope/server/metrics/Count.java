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
  REQUESTS_FAILED("Requests that failed because of a fault of the server"),
  QUOTA_REFUSED("Batches, queries and streams refused because of a token's quota", "token");

  private final String help;
  private final String label;

  Count(String help) {
    this(help, "");
  }

  Count(String help, String label) {
    this.help = help;
    this.label = label;
  }

  /** The name of its label; empty if it has none. */
  String label() {
    return label;
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
