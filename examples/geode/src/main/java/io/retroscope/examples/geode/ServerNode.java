// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import org.apache.geode.cache.Cache;
import org.apache.geode.cache.CacheFactory;
import org.apache.geode.cache.Region;
import org.apache.geode.cache.RegionFactory;
import org.apache.geode.cache.RegionShortcut;
import org.apache.geode.cache.Scope;
import org.apache.geode.cache.server.CacheServer;
import org.apache.geode.internal.cache.InternalRegion;

/** A server of Geode, with a copy of each region. */
public final class ServerNode {
  /** Created when the server is a member and has its regions. */
  static final String READY_FILE = "ready";

  /** A server works while this file is in its working directory. */
  static final String WORK_FILE = "work";

  /** A server that finds this file writes {@link #ANSWER_FILE}, and removes it. */
  static final String ASK_FILE = "ask";

  /** The lines of a {@link ServerAnswer}. */
  static final String ANSWER_FILE = "answer";

  /** Puts the stock at each tick of the machine's clock, which all writers have. */
  static final String WRITER = "writer";

  /** Counts in one region, and names in another the number that it has put. */
  static final String COUNTER = "counter";

  /** Joins the region of the counter and leaves it, again and again. */
  static final String JOINER = "joiner";

  private static final int TICK_MILLIS = 40;
  private static final int COUNTS_PER_TICK = 5;
  private static final String KEY = "k";

  private final String node;
  private final EventLog log;
  private final Stamps stamps;
  private final StockListener listener;
  private final Region<String, String> stock;
  private final Region<String, String> told;
  private final RegionFactory<String, String> counter;
  private final List<String> roles;
  private long put;
  private long counted;
  private long joins;

  private ServerNode(Cache cache, Recorder recorder, Stamps stamps, List<String> roles) {
    this.node = recorder.node();
    this.log = recorder.log("geode");
    this.stamps = stamps;
    this.listener = new StockListener(log, stamps);
    this.roles = roles;
    this.stock =
        cache
            .<String, String>createRegionFactory(RegionShortcut.REPLICATE)
            .setScope(Scope.DISTRIBUTED_NO_ACK)
            .addCacheListener(listener)
            .create("stock");
    this.told = cache.<String, String>createRegionFactory(RegionShortcut.REPLICATE).create("told");
    this.counter =
        cache
            .<String, String>createRegionFactory(RegionShortcut.REPLICATE)
            .setScope(Scope.DISTRIBUTED_NO_ACK);
    MessageListener messages = new MessageListener(recorder.log("patterns"), stamps);
    for (Pattern pattern : Pattern.values()) {
      pattern.create(cache, node, messages);
    }
  }

  /**
   * Runs a server until its process is ended.
   *
   * @param args the ports of the locator and of the cache server, both at {@link
   *     GeodeScene#CONTACT}, then the roles
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new Stamps(recorder));
  }

  /** Runs a server with other stamps. */
  static void run(String[] args, Recorder recorder, Stamps stamps)
      throws IOException, InterruptedException {
    try (recorder;
        Cache cache = join(recorder.node(), "127.0.0.1[" + args[0] + "]")) {
      ServerNode server =
          new ServerNode(cache, recorder, stamps, Arrays.asList(args).subList(2, args.length));
      recorder.log("geode").set("joins", 0);
      if (recorder.node().equals(GeodeScene.CONTACT)) {
        serveClients(cache, Integer.parseInt(args[1]));
      }
      Files.createFile(Path.of(READY_FILE));
      server.work();
    }
  }

  private static Cache join(String node, String locator) {
    CacheFactory factory =
        new CacheFactory()
            .set("name", node)
            .set("locators", locator)
            .set("bind-address", "127.0.0.1")
            .set("jmx-manager", "false")
            .set("enable-cluster-configuration", "false")
            .set("use-cluster-configuration", "false")
            .set("disable-auto-reconnect", "true")
            .set("member-timeout", "60000") // a busy machine is no failure
            .set("log-level", "warning");
    if (node.equals(GeodeScene.CONTACT)) {
      factory.set("start-locator", locator);
    }
    return factory.create();
  }

  private static void serveClients(Cache cache, int port) throws IOException {
    CacheServer server = cache.addCacheServer();
    server.setBindAddress("127.0.0.1");
    server.setHostnameForClients("127.0.0.1");
    server.setPort(port);
    server.start();
  }

  private void work() throws IOException, InterruptedException {
    Region<String, String> counts = roles.contains(JOINER) ? null : counter.create("counter");
    while (true) {
      Thread.sleep(TICK_MILLIS - System.currentTimeMillis() % TICK_MILLIS);
      if (Files.exists(Path.of(WORK_FILE))) {
        if (roles.contains(WRITER)) {
          write();
        }
        if (counts != null && roles.contains(COUNTER)) {
          count(counts);
        }
        if (roles.contains(JOINER)) {
          joinAndLeave();
        }
      }
      if (Files.exists(Path.of(ASK_FILE))) {
        answer();
      }
    }
  }

  private void write() {
    String text = node + "-" + ++put;
    log.set("put", text);
    stock.put(KEY, stamps.stamped(text));
  }

  /** Puts without waiting for any copy, and then names the last number to all servers. */
  private void count(Region<String, String> counts) {
    for (int i = 0; i < COUNTS_PER_TICK; i++) {
      counts.put(KEY, stamps.stamped(Long.toString(++counted)));
    }
    told.put(KEY, stamps.stamped(Long.toString(counted)));
  }

  /** Geode flushes the messages on the way before the region may be used: this relies on it. */
  private void joinAndLeave() {
    String named = told.get(KEY);
    if (named == null) {
      return; // The counter has not begun.
    }
    stamps.received(named);
    Region<String, String> counts = counter.create("counter");
    String first = counts.get(KEY);
    long held = 0;
    if (first != null) {
      stamps.received(first);
      held = Long.parseLong(Stamps.text(first));
    }
    log.event()
        .set("told", Long.parseLong(Stamps.text(named)))
        .set("first", held)
        .set("joins", ++joins)
        .record();
    counts.localDestroyRegion();
  }

  private void answer() throws IOException {
    InternalRegion region = (InternalRegion) stock;
    String value = stock.get(KEY);
    String answer =
        new ServerAnswer(
                value == null ? 0 : StockListener.version(region.getRegionEntry(KEY)),
                value == null ? "" : Stamps.text(value),
                region.getCachePerfStats().getConflatedEventsCount(),
                listener.ownVersions())
            .text();
    Path written = Files.writeString(Path.of(ANSWER_FILE + ".part"), answer);
    // The next question may come as soon as this one is answered.
    Files.delete(Path.of(ASK_FILE));
    Files.move(written, Path.of(ANSWER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
