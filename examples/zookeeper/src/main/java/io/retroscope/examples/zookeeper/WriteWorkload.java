// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * A workload that writes znodes at a bounded rate through the ordinary client, until it is closed.
 */
final class WriteWorkload implements AutoCloseable {
  /** The maximum number of unacknowledged writes; beyond it the workload waits. */
  static final int MAX_OUTSTANDING_COUNT = 64;

  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(20);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(3);
  private static final int SESSION_TIMEOUT_MILLIS = 10_000;
  private static final int ANY_VERSION = -1;

  private final ZooKeeper client;
  private final List<String> znodes;
  private final Duration interval;
  private final Random random;
  private final Semaphore outstanding = new Semaphore(MAX_OUTSTANDING_COUNT);
  private final AtomicLong writtenCount = new AtomicLong();
  private final AtomicLong failedCount = new AtomicLong();
  private final Thread thread = new Thread(this::run, "write-workload");

  private WriteWorkload(ZooKeeper client, List<String> znodes, Duration interval, Random random) {
    this.client = client;
    this.znodes = List.copyOf(znodes);
    this.interval = interval;
    this.random = random;
  }

  /**
   * Connects, creates the missing znodes, and starts to write: the first znode at every interval,
   * and occasionally one of the others with it.
   *
   * @param connectString as for {@link ZooKeeper}
   */
  static WriteWorkload begin(
      String connectString, List<String> znodes, Duration interval, Random random)
      throws StageException, InterruptedException {
    ZooKeeper client = connect(connectString);
    WriteWorkload workload = new WriteWorkload(client, znodes, interval, random);
    try {
      for (String znode : znodes) {
        create(client, znode);
      }
    } catch (KeeperException e) {
      client.close();
      throw new StageException("cannot create the znodes to write: " + e.getMessage(), e);
    }
    workload.thread.setDaemon(true);
    workload.thread.start();
    return workload;
  }

  /** An ordinary client, connected. */
  static ZooKeeper connect(String connectString) throws StageException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    ZKClientConfig config = new ZKClientConfig();
    config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    ZooKeeper client;
    try {
      client =
          new ZooKeeper(
              connectString,
              SESSION_TIMEOUT_MILLIS,
              event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                  connected.countDown();
                }
              },
              config);
    } catch (IOException e) {
      throw new StageException("cannot open a ZooKeeper client: " + e.getMessage(), e);
    }
    if (!connected.await(CONNECT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      client.close();
      throw new StageException(
          "no ZooKeeper session at "
              + connectString
              + " within "
              + CONNECT_PATIENCE.toSeconds()
              + " s");
    }
    return client;
  }

  private static void create(ZooKeeper client, String znode)
      throws KeeperException, InterruptedException {
    for (int slash = znode.indexOf('/', 1); slash > 0; slash = znode.indexOf('/', slash + 1)) {
      createOne(client, znode.substring(0, slash));
    }
    createOne(client, znode);
  }

  private static void createOne(ZooKeeper client, String path)
      throws KeeperException, InterruptedException {
    try {
      client.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      // It exists from an earlier run on the same data.
    }
  }

  /** The number of acknowledged writes. */
  long writtenCount() {
    return writtenCount.get();
  }

  /** The number of failed writes. */
  long failedCount() {
    return failedCount.get();
  }

  private void run() {
    try {
      for (long count = 1; ; count++) {
        Deadline next = Deadline.in(interval);
        write(znodes.get(0), count);
        if (znodes.size() > 1 && random.nextInt(3) == 0) {
          write(znodes.get(1 + random.nextInt(znodes.size() - 1)), count);
        }
        next.await();
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void write(String znode, long count) throws InterruptedException {
    outstanding.acquire();
    byte[] data = Long.toString(count).getBytes(StandardCharsets.US_ASCII);
    client.setData(
        znode,
        data,
        ANY_VERSION,
        (code, path, context, stat) -> {
          outstanding.release();
          (code == Code.OK.intValue() ? writtenCount : failedCount).incrementAndGet();
        },
        null);
  }

  /** Ends the workload and waits for the last acknowledgements. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(CLOSE_PATIENCE.toMillis());
      boolean answered =
          outstanding.tryAcquire(
              MAX_OUTSTANDING_COUNT, CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      client.close(answered ? (int) CLOSE_PATIENCE.toMillis() : 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
