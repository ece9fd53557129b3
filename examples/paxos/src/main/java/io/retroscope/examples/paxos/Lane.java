// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.Recorder;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A node: a thread that handles its messages one after the other, and a recorder. Programs are
 * called by this thread only.
 */
final class Lane {
  private static final int TICK_MILLIS = 20;
  private static final int MAX_WAITING = 100_000;

  private final Recorder recorder;
  private final Stamps stamps;
  private final Wire wire;
  private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(MAX_WAITING);

  /* Used by the thread of the lane. */

  /* By the kinds of messages. */
  private final Map<String, Integer> sent = new TreeMap<>();
  private final Map<String, Integer> received = new TreeMap<>();

  private int sentToReplicas;
  private int receivedFromReplicas;

  /** What a node does. */
  interface Program {
    void receive(String from, Message message);

    /** Called regularly. */
    void tick();
  }

  Lane(Recorder recorder, Stamps stamps, Wire wire) {
    this.recorder = recorder;
    this.stamps = stamps;
    this.wire = wire;
  }

  String name() {
    return recorder.node();
  }

  Recorder recorder() {
    return recorder;
  }

  /** Sends a message; the stamp and the machine's time are in front of it. */
  void send(String to, Message message) {
    sent.merge(message.kind(), 1, Integer::sum);
    sentToReplicas += Layout.REPLICAS.contains(to) ? 1 : 0;
    long micros = PhysicalClock.system().freshMicros();
    wire.send(to, name() + " " + stamps.sent() + " " + micros + " " + message.text());
  }

  int sentToReplicas() {
    return sentToReplicas;
  }

  int receivedFromReplicas() {
    return receivedFromReplicas;
  }

  /** How many messages of this kind were sent. */
  int sent(String kind) {
    return sent.getOrDefault(kind, 0);
  }

  /** How many messages of this kind were received. */
  int received(String kind) {
    return received.getOrDefault(kind, 0);
  }

  /** Queues a line that was received; waits if too many do. */
  void received(Program program, String line) {
    execute(() -> receive(program, line));
  }

  /** Queues work for the thread of the lane. */
  void execute(Runnable work) {
    try {
      waiting.put(work);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void receive(Program program, String line) {
    String[] parts = line.split(" ", 4);
    stamps.received(parts[0], parts[1]);
    Message message = Message.parse(parts[3]);
    received.merge(message.kind(), 1, Integer::sum);
    receivedFromReplicas += Layout.REPLICAS.contains(parts[0]) ? 1 : 0;
    program.receive(parts[0], message);
    Delay.note(parts[0], Long.parseLong(parts[2])); // Now, as what it causes is late as well.
  }

  /** Starts the thread; if the program throws, the process ends. */
  void start(Program program) {
    Thread thread = new Thread(() -> run(program), name());
    thread.setUncaughtExceptionHandler(
        (failed, e) -> {
          e.printStackTrace();
          Runtime.getRuntime().halt(1);
        });
    thread.start();
  }

  private void run(Program program) {
    long nextTick = System.nanoTime();
    while (true) {
      Runnable work = next(nextTick - System.nanoTime());
      if (work != null) {
        work.run();
      }
      if (System.nanoTime() >= nextTick) {
        program.tick();
        nextTick = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
      }
    }
  }

  private @Nullable Runnable next(long nanos) {
    try {
      return waiting.poll(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }
}
