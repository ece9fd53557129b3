// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.PhysicalClock;

/** A thread that sends the events of {@link ConsoleTraffic} to a server as they happen. */
final class LiveTraffic implements AutoCloseable {
  private static final long EVERY_MILLIS = 50;

  private final HttpProbe http;
  private final Thread thread;
  private volatile boolean closed;

  LiveTraffic(HttpProbe http, long seed) {
    this.http = http;
    this.thread = new Thread(() -> run(seed), "live-traffic");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(long seed) {
    PhysicalClock clock = PhysicalClock.system();
    ConsoleTraffic traffic = new ConsoleTraffic(clock.micros(), seed);
    try {
      while (!closed) {
        StringBuilder lines = new StringBuilder();
        while (traffic.micros() < clock.micros()) {
          lines.append(traffic.write());
        }
        send(lines.toString());
        Thread.sleep(EVERY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A server that is restarted misses events, as it would those of any sender without a spool. */
  private void send(String lines) throws InterruptedException {
    try {
      http.events(lines);
    } catch (java.io.IOException e) {
      Thread.sleep(EVERY_MILLIS);
    }
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.join(10_000);
  }
}
