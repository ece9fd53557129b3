// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.LinkWeather;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** The shop's orders, and the weather of the link. */
final class PostgresWork implements Work {
  /** A short run waits for these bursts and reads too. */
  private static final int LEAST_BURSTS = 3;

  private static final int LEAST_READS = 20;

  private static final Duration POLL = Duration.ofMillis(50);

  private final PostgresScene scene;
  private final LinkWeather weather;
  private final AtomicInteger bursts = new AtomicInteger();

  private PostgresWork(PostgresScene scene) {
    this.scene = scene;
    this.weather = LinkWeather.begin(this::delay, new Random());
  }

  static PostgresWork begin(PostgresScene scene) throws StageException {
    try {
      scene.open();
    } catch (IOException e) {
      throw new StageException("cannot open the shop: " + e.getMessage(), e);
    }
    return new PostgresWork(scene);
  }

  private void delay(long millis) {
    scene.link().delayMillis(millis);
    if (millis > 0) {
      bursts.incrementAndGet();
    }
  }

  @Override
  public String status() {
    return "%d bursts   link: %s".formatted(bursts.get(), weather.isSlow() ? "slow" : "fair");
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (bursts.get() <= LEAST_BURSTS || !scene.hasReadings(LEAST_READS)) {
      scene.checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the slow link has had no effect within %d s".formatted(Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
    close();
    scene.awaitIdle();
    scene.replication().awaitReplicated();
  }

  @Override
  public void close() {
    weather.close();
    try {
      scene.shut();
    } catch (IOException e) {
      // The nodes end with the run.
    }
  }
}
