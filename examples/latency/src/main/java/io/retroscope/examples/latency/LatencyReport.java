// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.examples.latency.Rounds.Round;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The latencies of one node by pair, by zones and by quorum, and what they say of clocks.
 * Thread-safe.
 */
public final class LatencyReport {
  private static final String HEADING =
      String.format(
          Locale.ROOT,
          "%-16s %8s %9s %9s %9s %9s %9s %9s %9s",
          "microseconds",
          "count",
          "min",
          "1 %",
          "25 %",
          "median",
          "75 %",
          "99 %",
          "max");

  private final String node;
  private final Map<String, String> zones;
  private final Map<String, Latencies> pairs = new TreeMap<>();
  private final Map<String, Latencies> zonePairs = new TreeMap<>();
  private final Periods periods = new Periods();
  private final Latencies each = new Latencies(periods);
  private final Latencies quorum = new Latencies(periods);
  private final Latencies all = new Latencies(periods);

  /** The least time forth and back by the clocks of both ends, by peer. */
  private final Map<String, long[]> leastOneWayMicros = new TreeMap<>();

  /**
   * A report without latencies.
   *
   * @param zones by node; may lack some
   */
  LatencyReport(String node, Map<String, String> zones) {
    this.node = node;
    this.zones = Map.copyOf(zones);
  }

  /** Adds an answer. */
  synchronized void pair(String peer, long micros, Frame answer, long answeredAtMicros) {
    pairs.computeIfAbsent(peer, name -> new Latencies(periods)).add(micros, answeredAtMicros);
    each.add(micros, answeredAtMicros);
    String own = zones.get(node);
    String other = zones.get(peer);
    if (own != null && other != null && !peer.equals(node)) {
      zonePairs
          .computeIfAbsent("zone " + own + "-" + other, zone -> new Latencies(periods))
          .add(micros, answeredAtMicros);
    }
    long[] least =
        leastOneWayMicros.computeIfAbsent(
            peer, name -> new long[] {Long.MAX_VALUE, Long.MAX_VALUE});
    least[0] = Math.min(least[0], answer.receivedMicros() - answer.sentMicros());
    least[1] = Math.min(least[1], answeredAtMicros - answer.answeredMicros());
  }

  /** Adds a round that all have answered. */
  void round(Round round, long atMicros) {
    quorum.add(round.quorum(), atMicros);
    all.add(round.all(), atMicros);
  }

  /** Whether there is a round that all have answered. */
  boolean hasRound() {
    return all.box().count() > 0;
  }

  private synchronized Map<String, Latencies> rows() {
    Map<String, Latencies> rows = new LinkedHashMap<>();
    pairs.forEach((peer, latencies) -> rows.put(node + "-" + peer, latencies));
    rows.putAll(zonePairs);
    rows.put("each (NQ)", each);
    rows.put("majority", quorum);
    rows.put("all", all);
    return rows;
  }

  /**
   * The clock of a peer minus the own one, in microseconds: no message arrives before it was sent.
   */
  record ClockBounds(long lowMicros, long highMicros) {}

  synchronized Map<String, ClockBounds> clockBounds() {
    Map<String, ClockBounds> bounds = new TreeMap<>();
    leastOneWayMicros.forEach(
        (peer, least) -> {
          if (!peer.equals(node)) {
            bounds.put(peer, new ClockBounds(-least[1], least[0]));
          }
        });
    return bounds;
  }

  /** The table of box-plot numbers, and the bounds of the clocks. */
  public String text() {
    StringBuilder text = new StringBuilder(HEADING).append('\n');
    rows()
        .forEach(
            (name, latencies) ->
                text.append(String.format(Locale.ROOT, "%-16s ", name))
                    .append(latencies.box().text())
                    .append('\n'));
    text.append("\nclock of the other minus the own one, microseconds: at least, at most\n");
    clockBounds()
        .forEach(
            (peer, bounds) ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "%-16s %d %d%n",
                        peer,
                        bounds.lowMicros(),
                        bounds.highMicros())));
    return text.toString();
  }

  /** The means over time as text; a period without answers has a dash. */
  private String meansText() {
    StringBuilder text = new StringBuilder();
    rows()
        .forEach(
            (name, latencies) -> {
              text.append(
                  String.format(
                      Locale.ROOT, "%-16s means of %d s:", name, periods.micros() / 1_000_000));
              for (double mean : latencies.means()) {
                text.append(Double.isNaN(mean) ? " -" : String.format(Locale.ROOT, " %.0f", mean));
              }
              text.append('\n');
            });
    return text.toString();
  }

  /** The files that a node's report can consist of; the last one needs two means. */
  static List<String> files(String node) {
    String name = "latency-" + node;
    return List.of(
        name + ".txt",
        name + ".svg",
        name + "-histogram.svg",
        name + "-distribution.svg",
        name + "-means.svg");
  }

  private boolean hasTwoMeans() {
    return each.means().size() >= MeansFigure.MIN_MEAN_COUNT;
  }

  /**
   * Writes {@code latency-NODE.txt}, the box plots {@code latency-NODE.svg}, the histograms {@code
   * -histogram.svg}, the cumulative distributions {@code -distribution.svg}, and the means over
   * time {@code -means.svg}, if there are at least two; otherwise it removes an earlier one.
   */
  public void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    List<String> files = files(node);
    Files.writeString(
        folder.resolve(files.get(0)), text() + "\nmicroseconds over time\n" + meansText());
    Map<String, Latencies.Box> boxes = new LinkedHashMap<>();
    Map<String, long[]> bins = new LinkedHashMap<>();
    Map<String, List<Double>> means = new LinkedHashMap<>();
    rows()
        .forEach(
            (name, latencies) -> {
              boxes.put(name, latencies.box());
              bins.put(name, latencies.bins());
              means.put(name, latencies.means());
            });
    Files.writeString(folder.resolve(files.get(1)), BoxFigure.svg(node, boxes));
    Files.writeString(folder.resolve(files.get(2)), HistogramFigure.svg(node, bins));
    Files.writeString(folder.resolve(files.get(3)), DistributionFigure.svg(node, bins));
    Path overTime = folder.resolve(files.get(4));
    if (hasTwoMeans()) {
      Files.writeString(overTime, MeansFigure.svg(node, periods.micros(), means));
    } else {
      Files.deleteIfExists(overTime);
    }
  }
}
