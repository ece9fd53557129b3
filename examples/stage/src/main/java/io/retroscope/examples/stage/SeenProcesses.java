// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The processes below this one at any look since this was made, also those whose parent has ended.
 * One that loses its parent before it is looked at is missed. Thread-safe.
 */
final class SeenProcesses implements AutoCloseable {
  /** A look reads all processes of the machine. */
  private static final Duration POLL = Duration.ofMillis(500);

  private final Set<ProcessHandle> seen = ConcurrentHashMap.newKeySet();
  private final Thread watcher = new Thread(this::watch, "processes");

  SeenProcesses() {
    watcher.setDaemon(true);
    watcher.start();
  }

  private void watch() {
    try {
      while (true) {
        look();
        Deadline.sleep(POLL);
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void look() {
    ProcessHandle.current().descendants().forEach(seen::add);
  }

  /** How many were seen up to now. */
  int count() {
    look();
    return seen.size();
  }

  /** Those that still run after the patience. */
  List<ProcessHandle> running(Duration patience) throws InterruptedException {
    Deadline deadline = Deadline.in(patience);
    while (seen.stream().anyMatch(ProcessHandle::isAlive) && !deadline.hasPassed()) {
      Deadline.sleep(POLL);
    }
    return seen.stream().filter(ProcessHandle::isAlive).toList();
  }

  @Override
  public void close() {
    watcher.interrupt();
  }
}
