// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * One node of the tester. In each round it pings all nodes, itself included, at the same time. It
 * records in the log {@code clt}: {@code sent} (the round), then {@code round}, {@code best},
 * {@code self}, {@code quorum} and {@code all} in one event when all have answered (microseconds),
 * and the set {@code suspects} when it changes. Thread-safe.
 */
public final class LatencyTester implements AutoCloseable {
  private final LatencyOptions options;
  private final PhysicalClock clock;
  private final Consumer<Stall> stalls;
  private final EventLog log;
  private final Stamps stamps;
  private final Answerer answerer;
  private final Rounds rounds;
  private final Map<String, PeerLink> links = new TreeMap<>();
  private final Map<String, Long> answeredNanos = new ConcurrentHashMap<>();
  private final LatencyReport report;

  /* Guarded by `suspects`. */
  private final Set<String> suspects = new TreeSet<>();

  /**
   * Begins to listen and to connect.
   *
   * @param clock the machine's, with the recorder's skew if it has one
   * @param notice takes a sentence when another node is refused, or after a stall of this one
   * @throws IOException if it cannot listen at its address
   */
  public LatencyTester(
      LatencyOptions options, Recorder recorder, PhysicalClock clock, Consumer<String> notice)
      throws IOException {
    this(
        options,
        recorder.log("clt"),
        new Stamps(recorder),
        clock,
        notice,
        stall ->
            notice.accept(
                "no round for %d ms: this node was stopped, or got no processor"
                    .formatted((stall.endedMicros() - stall.beganMicros()) / 1_000)));
  }

  LatencyTester(
      LatencyOptions options,
      EventLog log,
      Stamps stamps,
      PhysicalClock clock,
      Consumer<String> notice,
      Consumer<Stall> stalls)
      throws IOException {
    this.stalls = stalls;
    this.options = options;
    this.log = log;
    this.stamps = stamps;
    this.clock = clock;
    this.answerer = new Answerer(options, stamps, clock, notice);
    this.rounds = new Rounds(options.peers().size() + 1);
    this.report = new LatencyReport(options.node(), options.zones());
    InetSocketAddress self = new InetSocketAddress(options.listen().getAddress(), answerer.port());
    open(options.node(), self);
    options.peers().forEach(this::open);
  }

  private void open(String peer, InetSocketAddress address) {
    links.put(peer, new PeerLink(peer, address, options, stamps, clock, this::answered));
  }

  /** Runs the rounds for the duration of the test. */
  public void run() throws InterruptedException {
    recordSuspects();
    long intervalNanos = 1_000_000_000L / options.roundsPerSecond();
    long start = System.nanoTime();
    long next = start;
    long lastMicros = clock.freshMicros();
    for (long round = 1; System.nanoTime() - start < options.duration().toNanos(); round++) {
      lastMicros = noteStall(lastMicros);
      log.set("sent", round);
      for (PeerLink link : links.values()) {
        link.ping(round);
      }
      suspectTheSilent();
      if (round % options.roundsPerSecond() == 0) {
        recordClocks();
      }
      next += intervalNanos;
      long waitNanos = next - System.nanoTime();
      if (waitNanos > 0) {
        Thread.sleep(waitNanos / 1_000_000, (int) (waitNanos % 1_000_000));
      } else {
        next = System.nanoTime(); // rounds that a stopped process has missed are left out
      }
    }
  }

  private long noteStall(long lastMicros) {
    long micros = clock.freshMicros();
    if (micros - lastMicros >= Stall.LEAST_MICROS) {
      stalls.accept(new Stall(lastMicros, micros));
    }
    return micros;
  }

  private void answered(String peer, Frame answer, long roundTripNanos, long answeredAtMicros) {
    answeredNanos.put(peer, System.nanoTime());
    trust(peer);
    long micros = roundTripNanos / 1_000;
    report.pair(peer, micros, answer, answeredAtMicros);
    rounds
        .answered(answer.round(), peer.equals(options.node()), micros)
        .ifPresent(
            round -> {
              report.round(round, answeredAtMicros);
              log.event(
                  event ->
                      event
                          .set("round", round.number())
                          .set("best", round.best())
                          .set("self", round.self())
                          .set("quorum", round.quorum())
                          .set("all", round.all()));
            });
  }

  /** Peers that have never answered are not suspected: they may not have been started yet. */
  private void suspectTheSilent() {
    long limitNanos = options.suspectAfter().toNanos();
    for (String peer : options.peers().keySet()) {
      Long last = answeredNanos.get(peer);
      if (last != null && System.nanoTime() - last > limitNanos) {
        synchronized (suspects) {
          if (suspects.add(peer)) {
            recordSuspects();
          }
        }
      }
    }
  }

  /** The bounds of the peers' clocks by one-way times: the other's reading minus the own one. */
  private void recordClocks() {
    report
        .clockBounds()
        .forEach(
            (peer, bounds) ->
                log.event(
                    event ->
                        event
                            .set("low_" + peer, bounds.lowMicros())
                            .set("high_" + peer, bounds.highMicros())));
  }

  private void trust(String peer) {
    synchronized (suspects) {
      if (suspects.remove(peer)) {
        recordSuspects();
      }
    }
  }

  private void recordSuspects() {
    synchronized (suspects) {
      log.set(
          "suspects", new SetValue(suspects.stream().map(peer -> (Value) Value.of(peer)).toList()));
    }
  }

  /** Whether all nodes have answered in one round. */
  public boolean hasWholeRound() {
    return report.hasRound();
  }

  /** The distributions so far. */
  public LatencyReport report() {
    return report;
  }

  /** Ends all connections; the recorder remains open. */
  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
    answerer.close();
  }
}
