// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis server on a loopback port, without persistence: the native program from the jar
 * embedded-redis. It ends with this virtual machine, even if that is killed.
 */
final class RedisProcess implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);

  /**
   * Becomes the program that is given; a process beside it kills it when the pipe from here is
   * closed. The program does not read its standard input, so it cannot notice that itself.
   */
  private static final String GUARDED =
      "pid=$$; exec 3<&0; (trap '' INT HUP; cat <&3 > /dev/null; kill -9 $pid 2> /dev/null) &"
          + " exec \"$@\" < /dev/null 3<&-";

  private final ChildProcess process;
  private final int port;

  private RedisProcess(ChildProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  static RedisProcess start(Path folder) throws StageException, IOException, InterruptedException {
    Path home = Files.createDirectories(folder.resolve("redis"));
    String program;
    try {
      program = ExecutableProvider.newJarResourceProvider(home.toFile()).get().getAbsolutePath();
    } catch (IOException | RuntimeException e) {
      throw new StageException(
          "embedded-redis has no redis-server for this system: " + e.getMessage(), e);
    }
    int port = LoopbackPorts.take(1, new Random())[0];
    List<String> command =
        List.of(
            "sh",
            "-c",
            GUARDED,
            "sh",
            program,
            "--port",
            Integer.toString(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            home.toString());
    RedisProcess redis =
        new RedisProcess(new ChildProcess("Redis", home, "redis.out", command), port);
    try {
      redis.process.start();
      redis.awaitReady();
      return redis;
    } catch (StageException | InterruptedException e) {
      redis.close();
      throw e;
    }
  }

  private void awaitReady() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!answers()) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "Redis does not answer within %d s%s"
                .formatted(Deadline.PATIENCE.toSeconds(), process.complaint()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean answers() {
    try (Jedis jedis = new Jedis("127.0.0.1", port)) {
      return jedis.ping().equals("PONG");
    } catch (JedisException e) {
      return false;
    }
  }

  int port() {
    return port;
  }

  void checkRunning() throws StageException {
    if (!process.isRunning()) {
      throw new StageException("Redis ended" + process.complaint());
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
