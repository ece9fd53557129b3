// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import redis.clients.jedis.Jedis;

/** A worker: acquires the lock, works, writes to the store, and releases the lock. */
public final class LeaseWorker {
  static final long PAUSE_MILLIS = 600;

  private static final long WORK_MILLIS = 40;
  private static final long POLL_MILLIS = 10;

  private final Recorder recorder;
  private final EventLog log;
  private final RedisLock lock;
  private final int pauseEvery;
  private long stale;
  private long refused;

  private LeaseWorker(Recorder recorder, RedisLock lock, int pauseEvery) {
    this.recorder = recorder;
    this.log = recorder.log("lock");
    this.lock = lock;
    this.pauseEvery = pauseEvery;
  }

  /**
   * Runs a worker until its process is ended.
   *
   * @param args Redis' port; every turn with a multiple of the second number pauses, 0 for none;
   *     the lease in milliseconds
   */
  public static void main(String[] args) throws InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new Stamps(recorder));
  }

  /** Runs a worker with other stamps. */
  static void run(String[] args, Recorder recorder, Stamps stamps) throws InterruptedException {
    try (recorder;
        Jedis jedis = new Jedis("127.0.0.1", Integer.parseInt(args[0]))) {
      LeaseWorker worker =
          new LeaseWorker(
              recorder,
              new RedisLock(jedis, recorder.node(), Long.parseLong(args[2]), stamps),
              Integer.parseInt(args[1]));
      worker.log.event().set("holds", false).set("stale", 0).set("refused", 0).record();
      while (true) {
        worker.tryTurn();
        Thread.sleep(POLL_MILLIS);
      }
    }
  }

  private void tryTurn() throws InterruptedException {
    long watch = System.nanoTime();
    long turn = lock.acquire();
    if (turn == 0) {
      return;
    }
    log.event().set("holds", true).set("turn", turn).record();
    long began = PhysicalClock.system().freshMicros();
    boolean pause = pauseEvery > 0 && turn % pauseEvery == 0;
    Thread.sleep(pause ? PAUSE_MILLIS : WORK_MILLIS);
    switch (lock.write(turn)) {
      case "stale" -> log.set("stale", ++stale);
      case "refused" -> log.set("refused", ++refused);
      default -> {} // The write was in its turn.
    }
    log.set("holds", false);
    long ended = PhysicalClock.system().freshMicros();
    long elapsed = (System.nanoTime() - watch) / 1_000_000;
    lock.release(new Turn(recorder.node(), turn, began, ended, elapsed, pause));
  }
}
