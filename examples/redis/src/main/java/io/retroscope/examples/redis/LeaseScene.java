// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.examples.redis.RedisCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import redis.clients.jedis.Jedis;

/** A Redis server and three workers, each a process. */
final class LeaseScene implements Scene {
  private static final List<String> WORKERS = List.of("w1", "w2", "w3");

  /** So many turns are taken on a slow machine too, so that both acts have pauses. */
  private static final long LEAST_TURNS = RedisLock.FIRST_ACT_TURNS + 60;

  private static final Duration POLL = Duration.ofMillis(20);

  private final RedisProcess redis;
  private final Jedis jedis;
  private final Variant variant;
  private final NodeProcesses workers;

  private LeaseScene(RedisProcess redis, NodeProcesses workers, Variant variant) {
    this.redis = redis;
    this.workers = workers;
    this.jedis = new Jedis("127.0.0.1", redis.port());
    this.variant = variant;
  }

  static LeaseScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    LeaseScene scene =
        new LeaseScene(RedisProcess.start(folder), new NodeProcesses(folder, server), variant);
    try {
      for (String worker : WORKERS) {
        scene.startWorker(worker);
      }
      return scene;
    } catch (StageException | IOException e) {
      scene.close();
      throw e;
    }
  }

  private void startWorker(String worker) throws StageException, IOException {
    workers.start(
        worker,
        NodeProgram.of(
                variant.workerClass(),
                Integer.toString(redis.port()),
                Integer.toString(variant.pauseEvery()),
                Long.toString(variant.leaseMillis()))
            .withSkewMicros(worker.equals(WORKERS.get(0)) ? 0 : variant.skewMicros()));
  }

  @Override
  public List<String> nodes() {
    return WORKERS;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "redis       a native program, on port " + redis.port(),
        "w1, w2, w3  share a lock with a lease of %d ms".formatted(variant.leaseMillis()),
        variant.pauseEvery() == 0
            ? "            without pauses"
            : "            every %dth turn pauses for %d ms; from turn %d on, writes are fenced"
                .formatted(
                    variant.pauseEvery(), LeaseWorker.PAUSE_MILLIS, RedisLock.FIRST_ACT_TURNS + 1));
  }

  @Override
  public Work begin() {
    RedisLock.open(jedis, true);
    return new Turns();
  }

  @Override
  public void checkRunning() throws StageException {
    redis.checkRunning();
    workers.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new LeaseOracle(
            history, RedisLock.notes(jedis), variant.leaseMillis(), Math.abs(variant.skewMicros()))
        .checks(RedisLock.turnCount(jedis), RedisLock.writes(jedis));
  }

  @Override
  public void close() {
    workers.close();
    jedis.close();
    redis.close();
  }

  /** The workers take turns until it is closed. */
  private final class Turns implements Work {
    @Override
    public String status() {
      return "%d turns".formatted(turns());
    }

    @Override
    public void finish() throws StageException, InterruptedException {
      await("the workers do not take %d turns".formatted(LEAST_TURNS), () -> turns() < LEAST_TURNS);
      close();
      await("a worker does not end its turn", () -> RedisLock.isActing(jedis));
    }

    private void await(String failure, BooleanSupplier goesOn)
        throws StageException, InterruptedException {
      Deadline deadline = Deadline.in(Deadline.PATIENCE);
      while (goesOn.getAsBoolean()) {
        checkRunning();
        if (deadline.hasPassed()) {
          throw new StageException(
              "%s within %d s".formatted(failure, Deadline.PATIENCE.toSeconds()));
        }
        Deadline.sleep(POLL);
      }
    }

    private long turns() {
      return RedisLock.turnCount(jedis);
    }

    @Override
    public void close() {
      RedisLock.open(jedis, false);
    }
  }
}
