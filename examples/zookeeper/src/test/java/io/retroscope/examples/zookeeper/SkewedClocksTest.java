// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NodeAlignment;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with real servers whose clocks have known offsets, and the log server's estimates from
 * their messages alone.
 */
final class SkewedClocksTest {
  private static final Map<String, Long> SKEW_MICROS = Map.of("zk1", 40_000L, "zk3", -25_000L);
  private static final String DRIVER = "zk1";
  private static final double RHO = AlignmentSettings.DEFAULT.rhoPpm() * 1e-6;

  /**
   * The tolerance per message: a reading's step at both ends, rounding, and rho times the lead of
   * the stamps.
   */
  private static final double SMALL_CHANGE_MICROS = 4 + RHO * 2 * 65_000;

  @TempDir Path folder;

  /**
   * The minimum measured delays, aged to one instant, from one node to another; followers
   * communicate only through the leader.
   */
  private final Map<List<String>, Double> delays = new HashMap<>();

  @Test
  @Tag("slow")
  @Timeout(120)
  void alignment_skewedEnsemble_findsTheSkewWithinTheMeasuredDelaysAndTheDriver() throws Exception {
    try (LogServer server =
        LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build())) {
      try (ZookeeperEnsemble ensemble =
          ZookeeperEnsemble.start(
              EnsembleOptions.of(folder.resolve("ensemble"), "server=" + server.uri(), List.of("/"))
                  .withSkewMicros(SKEW_MICROS))) {
        write(ensemble.connectString());
      }
      awaitLastEvents(server);
      try (EventSource.View view = server.events().open()) {
        assertThat(view.clockOffsets().referenceNode()).contains(DRIVER);
        measureDelays(view);
        for (NodeAlignment node : view.clockOffsets().alignment()) {
          check(node.node(), node.offset().orElseThrow());
        }
      }
    }
  }

  private static void write(String connectString) throws Exception {
    ZooKeeper client = WriteWorkload.connect(connectString);
    try {
      client.create("/r1", new byte[1], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      for (int version = 0; version < 300; version++) {
        client.setData("/r1", new byte[1], version);
      }
    } finally {
      client.close();
    }
  }

  /**
   * Waits for events that were in flight when the servers ended, which make the evidence older,
   * because delays are measured at the instant of the reported offsets.
   */
  private static void awaitLastEvents(LogServer server) {
    AtomicReference<Optional<HlcRange>> before = new AtomicReference<>(Optional.empty());
    await()
        .pollInterval(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              try (EventSource.View view = server.events().open()) {
                Optional<HlcRange> extent = view.extent();
                return extent.isPresent() && before.getAndSet(extent).equals(extent);
              }
            });
  }

  /**
   * All servers read one clock, so subtracting the skew from their readings yields the true delays.
   */
  private void measureDelays(EventSource.View view) {
    Set<String> logs =
        view.logs().stream().map(Catalog.LogDescription::name).collect(Collectors.toSet());
    List<Event> receives = new ArrayList<>();
    Map<String, Event> sends = new HashMap<>();
    Set<String> ambiguous = new HashSet<>();
    for (Iterator<Event> events = view.scan(logs, HlcRange.ALL); events.hasNext(); ) {
      Event event = events.next();
      if (event.body() instanceof EventBody.Send send) {
        if (sends.put(send.id(), event) != null) {
          ambiguous.add(send.id());
        }
      } else if (event.body() instanceof EventBody.Receive) {
        receives.add(event);
      }
    }
    double now = HlcTimestamp.micros(view.extent().orElseThrow().to());
    for (Event receive : receives) {
      String id = ((EventBody.Receive) receive.body()).id();
      Event send = sends.get(id);
      if (send != null && !ambiguous.contains(id)) {
        double age = now - HlcTimestamp.micros(receive.hlc());
        double delay = trueMicros(receive) - trueMicros(send) + RHO * age + SMALL_CHANGE_MICROS;
        delays.merge(List.of(send.node(), receive.node()), delay, Math::min);
      }
    }
    for (String middle : EnsembleOptions.NODES) {
      for (String from : EnsembleOptions.NODES) {
        for (String to : EnsembleOptions.NODES) {
          delays.merge(List.of(from, to), delay(from, middle) + delay(middle, to), Math::min);
        }
      }
    }
  }

  private double delay(String from, String to) {
    return from.equals(to) ? 0 : delays.getOrDefault(List.of(from, to), Double.POSITIVE_INFINITY);
  }

  private static double trueMicros(Event event) {
    return event.physicalMicros() - SKEW_MICROS.getOrDefault(event.node(), 0L);
  }

  /** The minimum delays from and to the driver bound the offset from below and above. */
  private void check(String node, Offset offset) {
    long truth = SKEW_MICROS.getOrDefault(DRIVER, 0L) - SKEW_MICROS.getOrDefault(node, 0L);
    double there = delay(DRIVER, node);
    double back = delay(node, DRIVER);
    String context = node + ": true " + truth + ", found " + offset + ", delays " + delays;
    assertThat(Math.max(there, back)).as(context).isLessThan(20_000);
    assertThat(offset.lowMicros()).as(context).isPresent();
    assertThat(offset.highMicros()).as(context).isPresent();
    assertThat(offset.lowMicros().getAsLong()).as(context).isLessThanOrEqualTo(truth);
    assertThat(offset.highMicros().getAsLong()).as(context).isGreaterThanOrEqualTo(truth);
    assertThat((double) offset.lowMicros().getAsLong())
        .as(context)
        .isGreaterThanOrEqualTo(truth - there);
    assertThat((double) offset.highMicros().getAsLong())
        .as(context)
        .isLessThanOrEqualTo(truth + back);
    assertThat((double) offset.estimateMicros()).as(context).isBetween(truth - there, truth + back);
  }
}
