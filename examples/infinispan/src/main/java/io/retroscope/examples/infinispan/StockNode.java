// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;

/** A node of the cluster: a replica, the writer, or a visitor without a replica. */
public final class StockNode {
  /** The writer writes while this file is in its working directory. */
  static final String WRITE_FILE = "write";

  /** A node that finds this file removes it, and writes its value into {@link #ANSWER_FILE}. */
  static final String ASK_FILE = "ask";

  /** The value that a node's replica holds, as text. */
  static final String ANSWER_FILE = "answer";

  /** A node that finds this file leaves the cluster. */
  static final String LEAVE_FILE = "leave";

  /** Created when the node has joined. */
  static final String READY_FILE = "ready";

  private static final String STACK = "io/retroscope/examples/infinispan/traced-tcp.xml";
  private static final int WRITE_INTERVAL_MILLIS = 40;

  private StockNode() {}

  /**
   * Runs a node until its input says that it leaves.
   *
   * @param args the cache mode, or {@code visitor}
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment(); // the one that HlcProtocol in the XML uses
    run(args[0], recorder, STACK);
  }

  /** Runs a node with another stack of protocols. */
  static void run(String mode, Recorder recorder, String stack)
      throws IOException, InterruptedException {
    GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
    global
        .transport()
        .nodeName(recorder.node())
        .clusterName("shop")
        .addProperty("configurationFile", stack);
    try (DefaultCacheManager manager = new DefaultCacheManager(global.build(), false)) {
      if (mode.equals("visitor")) {
        manager.start();
        Files.createFile(Path.of(READY_FILE));
        awaitLeave();
        return;
      }
      ReplicaListener listener = new ReplicaListener(recorder);
      manager.addListener(listener);
      manager.start();
      manager.defineConfiguration(
          "stock",
          new ConfigurationBuilder().clustering().cacheMode(CacheMode.valueOf(mode)).build());
      Cache<String, Long> cache = manager.getCache("stock");
      cache.addListener(listener);
      Files.createFile(Path.of(READY_FILE));
      serve(cache, recorder.log("stock"));
    } finally {
      recorder.close();
    }
  }

  private static void awaitLeave() throws InterruptedException {
    while (!Files.exists(Path.of(LEAVE_FILE))) {
      Thread.sleep(WRITE_INTERVAL_MILLIS);
    }
  }

  private static void serve(Cache<String, Long> cache, EventLog stock)
      throws IOException, InterruptedException {
    String key = "";
    long version = 0;
    while (!Files.exists(Path.of(LEAVE_FILE))) {
      Thread.sleep(WRITE_INTERVAL_MILLIS);
      if (Files.exists(Path.of(WRITE_FILE))) {
        if (key.isEmpty()) {
          key = ownKey(cache);
        }
        stock.set("put", ++version);
        cache.put(key, version);
      }
      if (Files.exists(Path.of(ASK_FILE))) {
        answer(cache);
      }
    }
  }

  /** A key whose primary owner is this node, so that no other node orders its writes. */
  private static String ownKey(Cache<String, Long> cache) {
    for (int i = 0; ; i++) {
      String key = "r" + i;
      if (cache
          .getAdvancedCache()
          .getDistributionManager()
          .getCacheTopology()
          .getDistribution(key)
          .isPrimary()) {
        return key;
      }
    }
  }

  private static void answer(Cache<String, Long> cache) throws IOException {
    Path written = Files.writeString(Path.of(ANSWER_FILE + ".part"), cache.values().toString());
    Files.delete(Path.of(ASK_FILE)); // The next one may come as soon as the answer is there.
    Files.move(written, Path.of(ANSWER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
