// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A wait for another server, which ends if it takes too long, or if the server hangs: a stopped
 * process closes no connection, but it answers no other request either, whereas a server that
 * searches long does. Thread-safe.
 */
final class Watch implements AutoCloseable {
  private final HttpPart.Server server;
  private final Runnable end;
  private final List<Future<?>> tasks = new ArrayList<>();
  private volatile boolean isClosed;

  /** The thread that ends waits, which remembers none that is over. */
  static ScheduledThreadPoolExecutor newThread() {
    ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
    thread.setRemoveOnCancelPolicy(true);
    return thread;
  }

  /**
   * Begins to watch.
   *
   * @param longest the time for the wait; the server is tried within it if it is longer than the
   *     time for opening a reading
   * @param end ends the wait, in another thread, possibly more than once
   * @throws IOException if this server is stopping, so that nothing would end the wait
   */
  Watch(HttpPart.Server server, Duration longest, Runnable end) throws IOException {
    this.server = server;
    this.end = end;
    try {
      begin(longest);
    } catch (RejectedExecutionException e) {
      close();
      throw new IOException("this server is stopping", e);
    }
  }

  private void begin(Duration longest) {
    tasks.add(server.watch().schedule(end, longest.toMillis(), TimeUnit.MILLISECONDS));
    long pause = server.openTimeout().toMillis();
    if (longest.toMillis() > pause) {
      tasks.add(
          server
              .watch()
              .scheduleWithFixedDelay(this::tryServer, pause, pause, TimeUnit.MILLISECONDS));
    }
  }

  /** Any answer will do. */
  private void tryServer() {
    HttpRequest request =
        HttpRequest.newBuilder(server.address().resolve(Readings.PATH))
            .timeout(server.openTimeout())
            .build();
    var unused =
        server
            .client()
            .sendAsync(request, BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  if (failure != null && !isClosed) {
                    end.run();
                  }
                });
  }

  @Override
  public void close() {
    isClosed = true;
    tasks.forEach(task -> task.cancel(false));
  }
}
