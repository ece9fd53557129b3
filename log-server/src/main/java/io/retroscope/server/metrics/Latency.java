package io.retroscope.server.metrics;

import java.util.Locale;

/** A histogram of times. */
public enum Latency {
  INGEST("From a batch read to its acknowledgement"),
  QUERY("A historical query, from its text to its last row"),
  STREAM_LAG("From the stamp of a live row to when it is ready to be sent"),
  COMMIT("One group of submissions: applied, written and synced"),
  FSYNC("One sync of the store's log");

  private final String help;

  Latency(String help) {
    this.help = help;
  }

  String help() {
    return help;
  }

  /** Its name in the text format, to which the histogram adds its own ends. */
  public String metricName() {
    return baseName() + "_seconds";
  }

  /** Micrometer adds the unit. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
