package io.retroscope.examples.redis;

import io.retroscope.examples.redis.RedisCase.Variant;
import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import redis.clients.jedis.Jedis;

/** A Redis server and three workers, each a process. */
final class LeaseScene implements Scene {
  private static final List<String> WORKERS = List.of("w1", "w2", "w3");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final List<String> QUICK_START =
      List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final RedisProcess redis;
  private final Jedis jedis;
  private final Variant variant;
  private final Map<String, ChildProcess> workers = new TreeMap<>();

  private LeaseScene(RedisProcess redis, Variant variant) {
    this.redis = redis;
    this.jedis = new Jedis("127.0.0.1", redis.port());
    this.variant = variant;
  }

  static LeaseScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    LeaseScene scene = new LeaseScene(RedisProcess.start(folder), variant);
    try {
      for (String worker : WORKERS) {
        scene.startWorker(worker, Files.createDirectories(folder.resolve(worker)), server);
      }
      return scene;
    } catch (StageException | IOException e) {
      scene.close();
      throw e;
    }
  }

  private void startWorker(String node, Path home, URI server) throws StageException {
    List<String> jvmArgs = new ArrayList<>(QUICK_START);
    jvmArgs.add("-Dretroscope.node=" + node);
    jvmArgs.add("-Dretroscope.server=" + server);
    if (!node.equals(WORKERS.get(0))) {
      jvmArgs.add("-Dretroscope.clock.skew.micros=" + variant.skewMicros());
    }
    ChildProcess process =
        new ChildProcess(
            "worker " + node,
            home,
            "worker.out",
            ChildProcess.command(
                jvmArgs,
                BuiltProject.ownClassPath(),
                variant.workerClass(),
                Integer.toString(redis.port()),
                Integer.toString(variant.pauseEvery())));
    workers.put(node, process);
    process.start();
  }

  @Override
  public List<String> nodes() {
    return WORKERS;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "redis       a native program, on port " + redis.port(),
        "w1, w2, w3  share a lock with a lease of %d ms".formatted(RedisLock.LEASE_MILLIS),
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
    for (Map.Entry<String, ChildProcess> worker : workers.entrySet()) {
      if (!worker.getValue().isRunning()) {
        throw new StageException(
            "worker %s ended; its output is in %s"
                .formatted(worker.getKey(), worker.getValue().output()));
      }
    }
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new LeaseOracle(history, RedisLock.notes(jedis), Math.abs(variant.skewMicros()))
        .checks(RedisLock.turnCount(jedis), RedisLock.writes(jedis));
  }

  @Override
  public void close() {
    workers.values().forEach(ChildProcess::close);
    jedis.close();
    redis.close();
  }

  /** The workers take turns until it is closed. */
  private final class Turns implements Work {
    @Override
    public String status() {
      return "%d turns".formatted(RedisLock.turnCount(jedis));
    }

    @Override
    public void finish() throws StageException, InterruptedException {
      close();
      Deadline deadline = Deadline.in(PATIENCE);
      while (RedisLock.isActing(jedis)) {
        checkRunning();
        if (deadline.hasPassed()) {
          throw new StageException(
              "a worker does not end its turn within %d s".formatted(PATIENCE.toSeconds()));
        }
        Deadline.sleep(POLL);
      }
    }

    @Override
    public void close() {
      RedisLock.open(jedis, false);
    }
  }
}
