// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The metrics of a server itself, by their names in the text format. */
public final class MetricCatalogue {
  private static final Set<Reading> OF_A_CLUSTER =
      EnumSet.range(Reading.CLUSTER_PARTITIONS, Reading.CLUSTER_LAG_RECORDS);

  private static final Set<Reading> OF_A_SINGLE_SERVER =
      EnumSet.range(Reading.KAFKA_RECORDS, Reading.KAFKA_TROUBLE);

  static {
    OF_A_SINGLE_SERVER.addAll(
        EnumSet.of(Reading.BLOCKS_FORGOTTEN_REFUSED, Reading.NODES_OVERLAPPING));
  }

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
      types.add(type(reading));
    }
    return types;
  }

  /**
   * Those of a single server that are there from the start; a count with a label comes with its
   * first value.
   */
  public static List<String> typesFromTheStart() {
    return typesWithout(OF_A_CLUSTER);
  }

  /** The same of a server in a cluster. */
  public static List<String> typesOfAClusterFromTheStart() {
    return typesWithout(OF_A_SINGLE_SERVER);
  }

  private static List<String> typesWithout(Set<Reading> readings) {
    List<String> types = new ArrayList<>(types());
    for (Count count : Count.values()) {
      if (!count.label().isEmpty()) {
        types.remove(count.metricName() + " counter");
      }
    }
    readings.forEach(reading -> types.remove(type(reading)));
    return types;
  }

  private static String type(Reading reading) {
    return reading.metricName() + (reading.isCounter() ? " counter" : " gauge");
  }

  /** The names of those that only a server of a cluster has. */
  static List<String> namesOfACluster() {
    return OF_A_CLUSTER.stream().map(Reading::metricName).toList();
  }

  /** The names of those that only a single server has. */
  static List<String> namesOfASingleServer() {
    return OF_A_SINGLE_SERVER.stream().map(Reading::metricName).toList();
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
