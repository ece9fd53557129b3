// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.health;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A check that the threads which the server requires are alive. Thread-safe. */
public final class ThreadWatch implements Health.Check {
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** Watches a thread, which must have been started. */
  public void add(Thread thread) {
    threads.add(thread);
  }

  /** The number of threads that have ended. */
  public long endedCount() {
    return threads.stream().filter(thread -> !thread.isAlive()).count();
  }

  @Override
  public Optional<String> trouble() {
    return threads.stream()
        .filter(thread -> !thread.isAlive())
        .findFirst()
        .map(
            dead ->
                "thread %s has ended: see the log, and start the server again"
                    .formatted(dead.getName()));
  }
}
