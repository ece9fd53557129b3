// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.statement.AlertRefusedException;
import io.retroscope.rql.engine.statement.AlertRegister;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.alert.AlertsElsewhereException;
import io.retroscope.server.cluster.AlertTopic;
import io.retroscope.server.cluster.Cluster;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.health.Health;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alerts of a cluster, which run here as long as this server owns the first partition, and no
 * other has taken their records over. Elsewhere that server is named. Thread-safe.
 */
final class ClusterAlerts implements AlertRegister, Health.Check, AutoCloseable {
  private static final long PERIOD_MILLIS = 500;

  /**
   * The pause after a failure or a takeover by another server, whose place may not be known yet.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The time for a takeover that is underway when the server stops. */
  private static final long TAKEOVER_SECONDS = 5;

  private static final long END_SECONDS = 30;
  private static final Logger logger = LoggerFactory.getLogger(ClusterAlerts.class);

  private final AlertOptions options;
  private final Cluster cluster;
  private final QueryEngine engine;
  private final PhysicalClock clock;
  private final Supplier<String> address;
  private final ScheduledExecutorService turns = Executors.newSingleThreadScheduledExecutor();
  private volatile Optional<Running> running = Optional.empty();
  private volatile Optional<String> trouble = Optional.empty();
  private long pausedUntil = System.nanoTime();

  private record Running(AlertTopic records, AlertService service) {
    void close() {
      service.close();
      records.close();
    }
  }

  /**
   * Checks the files of alerts.
   *
   * @param engine whose queries no client sees or ends
   * @param address of this server, for messages
   * @throws IllegalArgumentException if a file cannot be used; the message says why
   */
  ClusterAlerts(
      AlertOptions options,
      Cluster cluster,
      QueryEngine engine,
      PhysicalClock clock,
      Supplier<String> address) {
    AlertService.check(options, engine);
    this.options = options;
    this.cluster = cluster;
    this.engine = engine;
    this.clock = clock;
    this.address = address;
  }

  void begin() {
    ScheduledFuture<?> unused =
        turns.scheduleWithFixedDelay(
            this::turn, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void turn() {
    try {
      running.ifPresent(this::look);
      if (running.isEmpty() && cluster.evaluatesAlerts() && System.nanoTime() - pausedUntil >= 0) {
        takeOver();
      }
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      if (turns.isShutdown()) {
        return;
      }
      if (!trouble.equals(Optional.of(String.valueOf(e.getMessage())))) {
        logger.warn("alerts are not evaluated: {}", e.getMessage());
      }
      trouble = Optional.of(String.valueOf(e.getMessage()));
      pausedUntil = System.nanoTime() + PAUSE_NANOS;
    }
  }

  private void look(Running own) {
    boolean isWell = !own.records().hasEnded() && own.service().thread().isAlive();
    if (cluster.evaluatesAlerts() && isWell) {
      own.service().refresh();
      return;
    }
    logger.info("alerts are no longer evaluated here");
    running = Optional.empty();
    pausedUntil = System.nanoTime() + PAUSE_NANOS;
    own.close();
  }

  private void takeOver() {
    if (cluster.incompleteness().isPresent()) {
      return;
    }
    AlertTopic records = cluster.takeAlerts();
    try {
      AlertService service =
          new AlertService(options, cluster.following(engine), records, clock, address);
      service.start();
      running = Optional.of(new Running(records, service));
      trouble = Optional.empty();
      logger.info("alerts are evaluated here");
    } catch (RuntimeException e) {
      records.close();
      throw e;
    }
  }

  /** The alerts if they are evaluated here. */
  Optional<AlertService> here() {
    return running.filter(own -> !own.records().hasEnded()).map(Running::service);
  }

  /** Whether there are any, and they are evaluated here. */
  boolean areAny() {
    return here().filter(service -> service.alertCount() > 0).isPresent();
  }

  /**
   * The alerts.
   *
   * @throws AlertsElsewhereException if they are evaluated elsewhere
   * @throws AlertRefusedException if they are evaluated nowhere now
   */
  AlertService service() {
    return here().orElseThrow(this::absence);
  }

  private RuntimeException absence() {
    Optional<URI> server = cluster.evaluatesAlerts() ? Optional.empty() : cluster.alertServer();
    return server.isPresent()
        ? new AlertsElsewhereException(server.get())
        : new AlertRefusedException(
            trouble.orElse("a server is just taking the alerts over"), "try again in some seconds");
  }

  @Override
  public List<List<Value>> states() {
    return service().states();
  }

  @Override
  public Map<String, Value> describe(String alert) {
    return service().describe(alert);
  }

  @Override
  public void create(AlertDefinition alert, String text, boolean replaces, String by) {
    service().create(alert, text, replaces, by);
  }

  @Override
  public void drop(String alert, String by) {
    service().drop(alert, by);
  }

  @Override
  public List<String> acknowledge(String alert, Optional<String> item, String by) {
    return service().acknowledge(alert, item, by);
  }

  @Override
  public long mute(String alert, long micros, String by) {
    return service().mute(alert, micros, by);
  }

  /** Why alerts are not evaluated although this server should; empty if nothing is wrong. */
  @Override
  public Optional<String> trouble() {
    return here()
        .map(AlertService::trouble)
        .orElseGet(
            () ->
                trouble
                    .filter(reason -> cluster.evaluatesAlerts())
                    .map(reason -> "alerts are not evaluated: " + reason));
  }

  @Override
  public void close() {
    turns.shutdown();
    try {
      // Kafka's clients report an interrupt as an error.
      if (!turns.awaitTermination(TAKEOVER_SECONDS, TimeUnit.SECONDS)) {
        turns.shutdownNow();
        if (!turns.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
          logger.warn("the takeover of alerts does not end");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.ifPresent(Running::close);
  }
}
