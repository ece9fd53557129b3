// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import io.retroscope.instrumentation.kafka.KafkaSink;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A sender of recorded writes to the topic, as the recorders of their servers: a long history
 * first, then each write at its time, until it is closed. Used by one thread, besides the one that
 * it starts.
 */
final class WriteFeed implements AutoCloseable {
  /** Runs of the recording in a block, of which each server has about a hundred writes. */
  private static final int RUNS_PER_BLOCK = 35;

  private static final int BLOCKS_PER_FLUSH = 8;
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration END_PATIENCE = Duration.ofSeconds(5);

  private final RecordedWrites writes;
  private final long runs;
  private final long startMicros;
  private final PhysicalClock clock = PhysicalClock.system();
  private final Map<String, Sender> senders = new TreeMap<>();
  private final Thread thread = new Thread(this::sendAsTimeGoes, "write-feed");
  private volatile boolean closing;

  /** The blocks of one server. */
  private static final class Sender {
    private final String incarnation;
    private final KafkaSink sink;
    private long number;

    Sender(String node, KafkaSink sink) {
      this.incarnation = "replay-" + node;
      this.sink = sink;
    }

    void send(List<Event> events) {
      if (events.isEmpty()) {
        return;
      }
      EventBlockBuilder builder = new EventBlockBuilder().incarnation(incarnation, ++number);
      Event first = events.get(0);
      if (number == 1) {
        builder.add(
            new Event(
                first.node(),
                "",
                first.hlc() - 1,
                new EventBody.Start(
                    incarnation, HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE)));
      }
      events.forEach(builder::add);
      sink.accept(builder.promise(events.get(events.size() - 1).hlc(), 0).build());
    }

    void flush() throws StageException {
      if (!sink.flush(Deadline.PATIENCE) || sink.lostEventCount() > 0) {
        throw new StageException("the broker did not take all events of " + incarnation);
      }
    }
  }

  /**
   * A feed that sends nothing yet.
   *
   * @param topic at the brokers
   * @param runs the number of runs of the recording in the history, which ends now
   */
  WriteFeed(String brokers, String topic, RecordedWrites writes, int runs) {
    this.writes = writes;
    this.runs = runs;
    startMicros = clock.micros() - runs * writes.spanMicros();
    for (String node : writes.nodes()) {
      senders.put(node, new Sender(node, KafkaSink.builder(brokers).topic(topic).build()));
    }
  }

  /** The range of the history, packed stamps. */
  record Range(long from, long to) {}

  /** The range of the history, from its first write to its last. */
  Range history() {
    return new Range(
        HlcTimestamp.pack(startMicros),
        HlcTimestamp.pack(startMicros + runs * writes.spanMicros() - 1));
  }

  /** The number of events of a server in the history, the start of its recorder included. */
  long historyCount(String node) {
    return 1 + runs * writes.countOf(node);
  }

  /** The number of all events of the history. */
  long historyCount() {
    return writes.nodes().stream().mapToLong(this::historyCount).sum();
  }

  /**
   * Sends the history, and returns when the broker has it.
   *
   * @throws StageException if the broker does not take it
   */
  void sendHistory() throws StageException {
    int blocks = 0;
    for (long run = 0; run < runs; run += RUNS_PER_BLOCK) {
      long end = Math.min(runs, run + RUNS_PER_BLOCK);
      long from = run * writes.spanMicros();
      long to = end * writes.spanMicros();
      senders.forEach((node, sender) -> sender.send(writes.events(node, startMicros, from, to)));
      if (++blocks % BLOCKS_PER_FLUSH == 0 || end == runs) {
        for (Sender sender : senders.values()) {
          sender.flush();
        }
      }
    }
  }

  /** Begins to send each write at its time. */
  void begin() {
    thread.setDaemon(true);
    thread.start();
  }

  private void sendAsTimeGoes() {
    try {
      long sent = runs * writes.spanMicros();
      while (!closing) {
        long from = sent;
        long now = clock.micros() - startMicros;
        senders.forEach((node, sender) -> sender.send(writes.events(node, startMicros, from, now)));
        sent = now;
        Deadline.sleep(TICK);
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  @Override
  public void close() {
    closing = true;
    thread.interrupt();
    try {
      thread.join(END_PATIENCE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    senders.values().forEach(sender -> sender.sink.close());
  }
}
