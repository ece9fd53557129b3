// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.latency.LatencyScene.LinkFault;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Slow links and a stopped node, in turn. */
final class LatencyWork implements Work {
  private static final Duration CALM = Duration.ofMillis(1_500);
  private static final Duration SLOW = Duration.ofMillis(1_800);
  private static final Duration STOP = Duration.ofSeconds(3);
  private static final int DELAY_MILLIS = 833;

  private final LatencyScene scene;
  private final Thread thread = new Thread(this::run, "latency-faults");
  private volatile boolean finishing;
  private volatile @Nullable Throwable failure;

  private LatencyWork(LatencyScene scene) {
    this.scene = scene;
    thread.setDaemon(true);
  }

  static LatencyWork begin(LatencyScene scene, boolean faults) {
    LatencyWork work = new LatencyWork(scene);
    if (faults) {
      work.thread.start();
    }
    return work;
  }

  private void run() {
    try {
      Deadline.sleep(CALM);
      for (int turn = 0; !finishing; turn++) {
        fault(turn % 2 == 1);
      }
    } catch (InterruptedException e) {
      // Closed.
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void fault(boolean isStop) throws StageException, InterruptedException {
    long began = now();
    if (isStop) {
      scene.node(LatencyScene.STOPPED).pause();
    } else {
      scene.slowLinksMillis(DELAY_MILLIS);
    }
    Deadline.sleep(isStop ? STOP : SLOW);
    long ended = now();
    if (isStop) {
      scene.node(LatencyScene.STOPPED).resume();
    } else {
      scene.slowLinksMillis(0);
    }
    Deadline.sleep(CALM);
    scene.over(new LinkFault(isStop, began, ended, now()));
  }

  private static long now() {
    return PhysicalClock.system().freshMicros();
  }

  @Override
  public String status() {
    return scene.linkFaults().size() + " faults";
  }

  @Override
  public void checkRunning() throws StageException {
    Throwable cause = failure;
    if (cause != null) {
      throw new StageException("a fault failed: " + cause.getMessage(), cause);
    }
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    finishing = true;
    thread.join();
    checkRunning();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
