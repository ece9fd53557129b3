// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumMap;
import java.util.Map;
import org.apache.geode.cache.CacheTransactionManager;
import org.apache.geode.cache.Region;
import org.apache.geode.cache.client.ClientCache;
import org.apache.geode.cache.client.ClientCacheFactory;
import org.apache.geode.cache.client.ClientRegionShortcut;

/** A client of one server, which sends messages of several sizes in each {@link Pattern}. */
public final class ClientNode {
  /** Created when the client runs. */
  static final String READY_FILE = "ready";

  /** A client that finds this file sends its messages. */
  static final String SEND_FILE = "send";

  /** The {@link PatternTable}, when all are sent. */
  static final String TABLE_FILE = "table";

  /** The messages of each size in each pattern, without those that only warm up. */
  static final int MESSAGE_COUNT = 20;

  private static final int[] SIZES = {10, 100, 1_000, 3_000, 10_000};
  private static final int WARM_UP_COUNT = 10;
  private static final int POLL_MILLIS = 50;
  private static final int PATIENCE_MILLIS = 60_000;

  private final EventLog log;
  private final Stamps stamps;
  private final CacheTransactionManager transactions;
  private final Map<Pattern, Region<String, String>> regions = new EnumMap<>(Pattern.class);
  private final PatternTable table = new PatternTable();
  private long message;

  private ClientNode(ClientCache cache, EventLog log, Stamps stamps) {
    this.log = log;
    this.stamps = stamps;
    this.transactions = cache.getCacheTransactionManager();
    for (Pattern pattern : Pattern.values()) {
      regions.put(
          pattern,
          cache
              .<String, String>createClientRegionFactory(ClientRegionShortcut.PROXY)
              .create(pattern.regionName()));
    }
  }

  /**
   * Runs a client until its process is ended.
   *
   * @param args the port of the server
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (Recorder recorder = Recorder.fromEnvironment();
        ClientCache cache =
            new ClientCacheFactory()
                .set("log-level", "warning")
                .setPoolPRSingleHopEnabled(false)
                .setPoolReadTimeout(PATIENCE_MILLIS)
                .addPoolServer("127.0.0.1", Integer.parseInt(args[0]))
                .create()) {
      ClientNode client = new ClientNode(cache, recorder.log("patterns"), new Stamps(recorder));
      client.log.set("acknowledged", 0);
      Files.createFile(Path.of(READY_FILE));
      while (true) {
        Thread.sleep(POLL_MILLIS);
        if (Files.deleteIfExists(Path.of(SEND_FILE))) {
          client.sendAll();
        }
      }
    }
  }

  private void sendAll() throws IOException {
    for (int i = 0; i < WARM_UP_COUNT; i++) {
      for (Pattern pattern : Pattern.values()) {
        send(pattern, SIZES[0]);
      }
    }
    for (int i = 0; i < MESSAGE_COUNT; i++) { // in turn, so that none profits from a warm server
      for (int bytes : SIZES) {
        for (Pattern pattern : Pattern.values()) {
          table.add(pattern, bytes, send(pattern, bytes));
        }
      }
    }
    Path written = Files.writeString(Path.of(TABLE_FILE + ".part"), table.text());
    Files.move(written, Path.of(TABLE_FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Sends a message, and returns the elapsed nanoseconds. */
  private long send(Pattern pattern, int bytes) {
    String value = stamps.stamped(++message + " " + "x".repeat(bytes));
    long began = System.nanoTime();
    if (pattern == Pattern.TRANSACTION) {
      transactions.begin();
      put(pattern, value);
      transactions.commit();
    } else {
      put(pattern, value);
    }
    long elapsed = System.nanoTime() - began;
    log.event().set("acknowledged", message).set("pattern", pattern.regionName()).record();
    return elapsed;
  }

  private void put(Pattern pattern, String value) {
    Region<String, String> region = regions.get(pattern);
    if (region == null) {
      throw new IllegalStateException("no region for " + pattern);
    }
    region.put("k", value);
  }

  /** The number of a message, from its text. */
  static long number(String text) {
    return Long.parseLong(text.substring(0, text.indexOf(' ')));
  }
}
