// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The metrics of a server itself, by their names in the text format. */
public final class MetricCatalogue {
  private MetricCatalogue() {}

  /** The metrics with their types, in no particular order. */
  public static List<String> types() {
    List<String> types = new ArrayList<>();
    for (Count count : Count.values()) {
      types.add(count.metricName() + " counter");
    }
    for (Latency latency : Latency.values()) {
      types.add(latency.metricName() + " histogram");
      types.add(latency.metricName() + "_max gauge");
    }
    for (Reading reading : Reading.values()) {
      types.add(reading.metricName() + (reading.isCounter() ? " counter" : " gauge"));
    }
    return types;
  }

  /** Those that are there from the start; a count with a label comes with its first value. */
  public static List<String> typesFromTheStart() {
    List<String> types = new ArrayList<>(types());
    for (Count count : Count.values()) {
      if (!count.label().isEmpty()) {
        types.remove(count.metricName() + " counter");
      }
    }
    return types;
  }

  /** The names of all series, including those of histograms and of the process. */
  static List<String> series() {
    try (Metrics metrics = Metrics.unread()) {
      for (Reading reading : Reading.values()) {
        metrics.show(reading, () -> 1);
      }
      metrics.showProcess();
      return Arrays.stream(metrics.text().split("\n", -1))
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .map(line -> line.split("[{ ]", 2)[0])
          .distinct()
          .toList();
    }
  }
}
