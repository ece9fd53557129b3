// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.PhysicalClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connection over which a node pings one other. A thread sends and another reads, so that a
 * peer that does not read delays no other. Thread-safe.
 */
final class PeerLink implements AutoCloseable {
  /** Pings that wait for a peer that does not read; later ones are left out. */
  private static final int MAX_WAITING_COUNT = 1_024;

  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;
  private static final int RETRY_MILLIS = 100;

  /** Takes the answers. */
  interface Answers {
    /**
     * One answer.
     *
     * @param roundTripNanos since the ping was handed to the socket
     * @param answeredAtMicros the own clock when it had been read
     */
    void answered(String peer, Frame answer, long roundTripNanos, long answeredAtMicros);
  }

  private record Ping(long round, long queuedNanos) {}

  private final String peer;
  private final InetSocketAddress address;
  private final LatencyOptions options;
  private final Stamps stamps;
  private final PhysicalClock clock;
  private final Answers answers;
  private final BlockingQueue<Ping> waiting = new ArrayBlockingQueue<>(MAX_WAITING_COUNT);
  private final long[] sentNanos = new long[1 << 16];
  private volatile boolean closed;
  private volatile @Nullable Socket socket;

  PeerLink(
      String peer,
      InetSocketAddress address,
      LatencyOptions options,
      Stamps stamps,
      PhysicalClock clock,
      Answers answers) {
    this.peer = peer;
    this.address = address;
    this.options = options;
    this.stamps = stamps;
    this.clock = clock;
    this.answers = answers;
    start("latency-to-" + peer, this::sendAll);
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Pings the peer in a round, unless too many pings wait already. */
  void ping(long round) {
    boolean unused = waiting.offer(new Ping(round, System.nanoTime()));
  }

  private void sendAll() {
    while (!closed) {
      try (Socket connected = new Socket()) {
        connected.connect(address, CONNECT_TIMEOUT_MILLIS);
        Handshake.prove(connected, options);
        socket = connected;
        waiting.clear(); // rounds before the connection are not its latency
        start("latency-from-" + peer, () -> readAll(connected));
        while (!closed && !connected.isClosed()) {
          Ping ping = waiting.poll(RETRY_MILLIS, TimeUnit.MILLISECONDS);
          if (ping != null) {
            send(connected, ping);
          }
        }
      } catch (IOException e) {
        pause();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void pause() {
    try {
      Thread.sleep(RETRY_MILLIS);
    } catch (InterruptedException e) {
      closed = true;
    }
  }

  private void send(Socket connected, Ping ping) throws IOException {
    synchronized (sentNanos) {
      sentNanos[(int) ping.round() & sentNanos.length - 1] = ping.queuedNanos();
    }
    Frame frame = new Frame(ping.round(), stamps.sent(peer), clock.freshMicros(), 0, 0);
    connected.getOutputStream().write(frame.bytes(options.frameBytes()));
  }

  private void readAll(Socket connected) {
    try (connected) {
      while (true) {
        Frame answer = Frame.read(connected.getInputStream(), options.frameBytes());
        long nowNanos = System.nanoTime();
        long nowMicros = clock.freshMicros();
        stamps.received(peer, answer.stamp());
        long began;
        synchronized (sentNanos) {
          began = sentNanos[(int) answer.round() & sentNanos.length - 1];
        }
        answers.answered(peer, answer, nowNanos - began, nowMicros);
      }
    } catch (IOException e) {
      // The sender connects again.
    }
  }

  @Override
  public void close() {
    closed = true;
    Socket open = socket;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // It is gone.
      }
    }
  }
}
