// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import java.util.Locale;

/** A histogram of durations. */
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

  /** Its name in the text format, without the suffixes of a histogram. */
  public String metricName() {
    return baseName() + "_seconds";
  }

  /** The name without the unit, which Micrometer adds. */
  String baseName() {
    return Metrics.PREFIX + name().toLowerCase(Locale.ROOT);
  }
}
