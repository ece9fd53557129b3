// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.LinkWeather;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Writes, the relay's weather, and one visitor. */
final class CacheWork implements Work {
  private static final Duration POLL = Duration.ofMillis(100);

  private final CacheScene scene;
  private final LinkWeather weather;
  private final Thread visit = new Thread(this::visit, "visit");
  private volatile @Nullable Throwable failure;

  /* Used by the weather's thread only. */
  private long beganMicros;
  private long delayMicros;

  private CacheWork(CacheScene scene, boolean faults, Random random) {
    this.scene = scene;
    this.weather = faults ? LinkWeather.begin(this::delay, random) : LinkWeather.fair();
  }

  static CacheWork begin(CacheScene scene, boolean faults, Random random) throws StageException {
    try {
      scene.write(true);
    } catch (IOException e) {
      throw new StageException("cannot start the writer: " + e.getMessage(), e);
    }
    CacheWork work = new CacheWork(scene, faults, random);
    work.visit.setDaemon(true);
    work.visit.start();
    return work;
  }

  private void delay(long millis) {
    if (delayMicros > 0) {
      scene.blew(new Gust(beganMicros, PhysicalClock.system().freshMicros(), delayMicros));
    }
    scene.relay().delayMillis(millis);
    delayMicros = millis * 1_000;
    beganMicros = PhysicalClock.system().freshMicros();
  }

  private void visit() {
    try {
      scene.visit();
    } catch (InterruptedException e) {
      // Closed.
    } catch (Throwable e) {
      failure = e;
    }
  }

  @Override
  public String status() {
    return "%d gusts   link of %s: %s   %d visits"
        .formatted(
            scene.gusts().size(),
            CacheScene.SLOW,
            weather.isSlow() ? "slow" : "fair",
            scene.visitCount());
  }

  @Override
  public void checkRunning() throws StageException {
    Throwable cause = failure;
    if (cause != null) {
      throw new StageException("the visit failed: " + cause.getMessage(), cause);
    }
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    visit.join();
    checkRunning();
    close();
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    try {
      while (!areEqual(scene.contents())) {
        if (deadline.hasPassed()) {
          throw new StageException(
              "the replicas do not become equal within %d s: %s"
                  .formatted(Deadline.PATIENCE.toSeconds(), scene.contents()));
        }
        Deadline.sleep(POLL);
      }
    } catch (IOException e) {
      throw new StageException("cannot ask the nodes for their values: " + e.getMessage(), e);
    }
  }

  private static boolean areEqual(Map<String, String> contents) {
    Set<String> distinct = new TreeSet<>(contents.values());
    return distinct.size() == 1;
  }

  @Override
  public void close() {
    visit.interrupt();
    weather.close();
    try {
      scene.write(false);
    } catch (IOException e) {
      // The nodes end with the run.
    }
  }
}
