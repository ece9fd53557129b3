// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.rql.engine.Present;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.statement.NodeRegister;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.HostNames;
import io.retroscope.server.api.ClusterApi;
import io.retroscope.server.cluster.Cluster;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.health.Health;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.kafka.StartFrom;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.disk.StoreException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server of a cluster: it keeps some partitions of a topic and copies of others, and
 * answers queries over all of them. Thread-safe.
 */
public final class ClusterServer implements AutoCloseable {
  private static final long REFRESH_PERIOD_MILLIS = 1_000;
  private static final Logger logger = LoggerFactory.getLogger(ClusterServer.class);

  private final ServerConfig config;
  private final Metrics metrics;
  private final Cluster cluster;
  private final ClusterAlerts alerts;
  private final ClusterApi api;
  private final ScheduledExecutorService ticking = Executors.newSingleThreadScheduledExecutor();
  private final ScheduledExecutorService refreshing = Executors.newSingleThreadScheduledExecutor();

  /** Waits for the topic, for which nothing else may wait. */
  private final ScheduledExecutorService declaring = Executors.newSingleThreadScheduledExecutor();

  private volatile Optional<WarmUp> warmUp = Optional.empty();

  private ClusterServer(ServerConfig config, Cluster cluster, AccessControl access) {
    this.config = config;
    this.cluster = cluster;
    metrics = new Metrics(config.monotonicClock()::nanos);
    Health health = new Health();
    health.add(cluster::trouble);
    health.addNotice(cluster.watermarks()::clockTrouble);
    Present present =
        new ClusterPresent(
            config.clock(), TimeUnit.NANOSECONDS.toMicros(config.idleTimeout().toNanos()));
    NodeRegister nodes = new NodeAdministration(cluster::forget, cluster.watermarks());
    alerts =
        new ClusterAlerts(
            config.alerts(),
            cluster,
            new QueryEngine(cluster.source(), config.queryLimits(), present, nodes),
            config.clock(),
            () -> uri().toString());
    health.add(alerts);
    ClusterApi.Parts parts =
        new ClusterApi.Parts(
            cluster,
            new QueryEngine(cluster.source(), config.queryLimits(), present, nodes, alerts),
            alerts::service,
            alerts::areAny,
            health,
            config.store().memory(),
            config.clock(),
            config.monotonicClock(),
            metrics,
            config.slowQuery());
    api = new ClusterApi(parts, config.batchLimits(), config.apiLimits(), config.access(), access);
    ServerReadings readings = new ServerReadings(metrics);
    readings.show(cluster.watermarks(), config.clock());
    readings.show(alerts::here);
    readings.show(cluster);
    readings.show(config.store().memory());
    readings.show(health);
    metrics.showProcess();
  }

  /**
   * Joins a cluster and begins to listen.
   *
   * @throws ServerException if that is not possible; the message is one sentence with the reason
   */
  public static ClusterServer start(ServerConfig config, ClusterOptions options) {
    check(config, options);
    logger.info("starting: {}", StartLine.of(config, options.keepFor().isPresent()));
    try {
      String name = String.valueOf(options.advertised().getHost());
      AccessControl access = LogServer.access(config, config.access().withAllowedHost(name));
      Cluster cluster =
          Cluster.join(
              options,
              config.dataDirectory(),
              config.store(),
              new Cluster.Times(
                  config.clock(),
                  config.monotonicClock(),
                  config.idleTimeout(),
                  config.alignment()));
      return listening(config, cluster, access);
    } catch (KafkaIngestException | StoreException | IllegalArgumentException e) {
      throw new ServerException(String.valueOf(e.getMessage()), e);
    }
  }

  private static ClusterServer listening(
      ServerConfig config, Cluster cluster, AccessControl access) {
    try {
      ClusterServer server = new ClusterServer(config, cluster, access);
      server.begin();
      return server;
    } catch (RuntimeException e) {
      cluster.close();
      throw e instanceof IllegalStateException || e instanceof IllegalArgumentException
          ? new ServerException(String.valueOf(e.getMessage()), e)
          : e;
    }
  }

  private static void check(ServerConfig config, ClusterOptions options) {
    boolean isFar = !HostNames.isLoopback(String.valueOf(options.advertised().getHost()));
    String scheme = String.valueOf(options.advertised().getScheme());
    if (isFar && !scheme.equals("https")) {
      throw new ServerException(
          "other machines reach "
              + options.advertised()
              + ", so TLS is needed: start with --tls-cert and --tls-key, and advertise an https"
              + " address");
    }
    if (scheme.equals("https") != config.access().tls().isPresent()) {
      throw new ServerException(
          options.advertised()
              + " is advertised, but the server listens with "
              + (config.access().tls().isPresent() ? "https" : "http")
              + ": check --advertise, --tls-cert and --tls-key");
    }
    if (!options.kafka().from().equals(StartFrom.STORED)) {
      throw new ServerException(
          "a cluster reads its topic from where its stores end: --kafka-from is for a single"
              + " server");
    }
    if (config.retention() != Retention.KEEP_ALL) {
      throw new ServerException(
          "--keep-bytes is for a single server, because the files of a partition and of its copy"
              + " differ in size, and both must keep the same events: give a cluster --keep-for");
    }
    if (config.access().backupFolder().isPresent()) {
      throw new ServerException(
          "--backup-dir is for a single server: a new server of a cluster is restored from the"
              + " topic");
    }
    if (config.store().recover() || config.releaseQuarantined()) {
      throw new ServerException(
          "--recover and --release-quarantine are for a single server: a damaged store of a cluster"
              + " is restored from the topic after its folder was removed");
    }
  }

  private void begin() {
    api.listen(config.host(), config.port());
    ScheduledFuture<?> unused =
        refreshing.scheduleWithFixedDelay(
            api::refresh, REFRESH_PERIOD_MILLIS, REFRESH_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    new WatermarkTicker(cluster.watermarks(), ticking).begin();
    StuckRuns stuck =
        new StuckRuns(
            cluster.watermarks(), cluster.intake(), config.store().memory(), cluster::owns);
    ScheduledFuture<?> unusedToo =
        declaring.scheduleWithFixedDelay(
            stuck::declareLost,
            REFRESH_PERIOD_MILLIS,
            REFRESH_PERIOD_MILLIS,
            TimeUnit.MILLISECONDS);
    alerts.begin();
    logger.info("listening at {}", uri());
    if (config.warmUp()) {
      warmUp = Optional.of(warmUp());
      warmUp.get().begin();
    }
  }

  /** Restoring partitions comes first. */
  private WarmUp warmUp() {
    return new WarmUp(
        config.dataDirectory().resolve("warm-up"),
        () -> api.isAnswering() || cluster.trouble().isPresent(),
        Optional.empty(),
        WarmUp.Extent.CLUSTER,
        CompilerUse.ofProcess(config.monotonicClock()));
  }

  /** The port on which it listens. */
  public int port() {
    return api.port();
  }

  /** The address at which clients reach it. */
  public URI uri() {
    String host = config.host().contains(":") ? "[" + config.host() + "]" : config.host();
    return URI.create(api.scheme() + "://" + host + ":" + port());
  }

  /** The part of this process in the cluster. */
  public Cluster cluster() {
    return cluster;
  }

  /** Ends running requests, and leaves the cluster. */
  @Override
  public void close() {
    logger.info("stopping");
    warmUp.ifPresent(WarmUp::close);
    refreshing.shutdownNow();
    declaring.shutdownNow();
    ticking.shutdownNow();
    try {
      alerts.close();
      // Before requests are refused: they can be answered while others take over.
      cluster.leave();
      api.close();
    } finally {
      cluster.close();
      metrics.close();
      logger.info("stopped");
    }
  }
}
