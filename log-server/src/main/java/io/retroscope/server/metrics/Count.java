// SPDX-License-Identifier: Apache-2.0
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
  ROWS_LATE("Rows of live queries that were sent late, because an event came late"),
  ROWS_RETRACTED("Rows of live queries that were taken back, because an event came late"),
  RANGES_LOST("Ranges of live queries that were reported as lost, because events came too late"),
  REQUESTS_FAILED("Requests that failed because of an error in the server"),
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

  /** The name without the suffix, which Micrometer adds. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
