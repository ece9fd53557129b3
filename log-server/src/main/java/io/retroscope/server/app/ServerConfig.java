// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.evaluation.LateLimits;
import io.retroscope.rql.evaluation.OuterLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.api.ApiLimits;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.sink.HttpSink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The configuration of a log server. Immutable; built with {@link #in}.
 *
 * @param dataDirectory created if it does not exist
 * @param host the address to listen on
 * @param port 0 for any free port
 * @param access the access rules
 * @param idleTimeout the longest silence of a node that holds live queries back, above 100 ms
 * @param restartGrace how long after a start live queries wait for known nodes that had not stopped
 * @param retention the rule that selects stored events for removal
 * @param releaseQuarantined whether quarantined events are stored once the server's clock has
 *     passed their stamps
 * @param warmUp whether the code of queries is compiled after the start, with queries of its own
 * @param slowQuery the duration from which a query is logged
 * @param alerts the files of rules and of receivers
 * @param kafka the topic to read events from, in addition to HTTP; empty for none
 */
public record ServerConfig(
    Path dataDirectory,
    String host,
    int port,
    AccessOptions access,
    Duration idleTimeout,
    Duration restartGrace,
    StoreOptions store,
    NdjsonReader.Limits batchLimits,
    QueryLimits queryLimits,
    ApiLimits apiLimits,
    AlignmentSettings alignment,
    AlertOptions alerts,
    Optional<KafkaOptions> kafka,
    Retention retention,
    boolean releaseQuarantined,
    boolean warmUp,
    Duration slowQuery,
    PhysicalClock clock,
    MonotonicClock monotonicClock) {
  /** The fraction of the heap in which one live query remembers the rows that it has sent. */
  private static final int SHOWN_SHARE = 1_024;

  /** Nodes that are seen this often are not silent in between, for all that the store knows. */
  private static final Duration MIN_IDLE_TIMEOUT =
      Duration.of(Presence.MAX_GAP_MICROS, ChronoUnit.MICROS);

  /** The default port. */
  public static final int DEFAULT_PORT = HttpSink.DEFAULT_PORT;

  /** The default address, which is reachable only from this machine. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** Checks the ranges. */
  public ServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be within 0..65535: " + port);
    }
    if (idleTimeout.compareTo(MIN_IDLE_TIMEOUT) <= 0) {
      throw new IllegalArgumentException("idle timeout must be above 100ms: " + idleTimeout);
    }
    if (restartGrace.isNegative()) {
      throw new IllegalArgumentException("restart grace must not be negative: " + restartGrace);
    }
  }

  /** The defaults, with the data in a directory. */
  public static Builder in(Path dataDirectory) {
    return new Builder(dataDirectory);
  }

  /** A builder for the values that differ from the defaults. */
  public static final class Builder {
    private final Path dataDirectory;
    private String host = DEFAULT_HOST;
    private int port = DEFAULT_PORT;
    private AccessOptions access = AccessOptions.DEFAULT;
    private Duration idleTimeout = Duration.ofSeconds(1);
    private Duration restartGrace = Duration.ofSeconds(10);
    private LateLimits late = LateLimits.DEFAULT;
    private StoreOptions store = StoreOptions.DEFAULT;
    private NdjsonReader.Limits batchLimits = NdjsonReader.Limits.BATCH;
    private ApiLimits apiLimits = ApiLimits.DEFAULT;
    private AlignmentSettings alignment = AlignmentSettings.DEFAULT;
    private AlertOptions alerts = AlertOptions.NONE;
    private Optional<KafkaOptions> kafka = Optional.empty();
    private Retention retention = Retention.KEEP_ALL;
    private boolean releaseQuarantined;
    private boolean warmUp;
    private Duration slowQuery = Duration.ofSeconds(5);
    private OuterLimits outer = OuterLimits.DEFAULT;
    private int queryThreads = QueryLimits.DEFAULT.walkThreads();
    private PhysicalClock clock = PhysicalClock.system();
    private MonotonicClock monotonicClock = MonotonicClock.system();

    private Builder(Path dataDirectory) {
      this.dataDirectory = dataDirectory;
    }

    /** The address to listen on; the default is reachable only from this machine. */
    public Builder host(String host) {
      this.host = host;
      return this;
    }

    /** The port to listen on, 0 for any free port. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** The access rules; by default every caller has all permissions. */
    public Builder access(AccessOptions options) {
      this.access = options;
      return this;
    }

    /** The longest silence of a node that holds live queries back. */
    public Builder idleTimeout(Duration timeout) {
      this.idleTimeout = timeout;
      return this;
    }

    /**
     * How long after a start live queries wait for known nodes that had not stopped; 10 s by
     * default.
     */
    public Builder restartGrace(Duration grace) {
      this.restartGrace = grace;
      return this;
    }

    /**
     * How long after the rows at its stamp an event may come so that live queries still send the
     * rows that it changes; a minute by default.
     */
    public Builder lateBound(Duration bound) {
      this.late = new LateLimits(bound.toNanos() / 1_000, late.maxShownBytes());
      return this;
    }

    /** The limits and options of the store. */
    public Builder store(StoreOptions options) {
      this.store = options;
      return this;
    }

    /** The largest sizes of a line and of a batch of events. */
    public Builder batchLimits(NdjsonReader.Limits limits) {
      this.batchLimits = limits;
      return this;
    }

    /** The concurrency limits of the API. */
    public Builder apiLimits(ApiLimits limits) {
      this.apiLimits = limits;
      return this;
    }

    /** The assumptions about the nodes' clocks and links. */
    public Builder alignment(AlignmentSettings settings) {
      this.alignment = settings;
      return this;
    }

    /** The files of rules and of receivers of alerts; none by default. */
    public Builder alerts(AlertOptions options) {
      this.alerts = options;
      return this;
    }

    /** Reads events from a topic in addition to HTTP. */
    public Builder kafka(KafkaOptions options) {
      this.kafka = Optional.of(options);
      return this;
    }

    /** The rule that selects stored events for removal; nothing is removed by default. */
    public Builder retention(Retention rule) {
      this.retention = rule;
      return this;
    }

    /** Stores quarantined events once the server's clock has passed their stamps. */
    public Builder releaseQuarantined(boolean release) {
      this.releaseQuarantined = release;
      return this;
    }

    /** Compiles the code of queries after the start; off by default. */
    public Builder warmUp(boolean warmUp) {
      this.warmUp = warmUp;
      return this;
    }

    /** The number of rows, groups and distinct values that a query over rows may hold. */
    public Builder maxOuterRows(int rows) {
      this.outer = new OuterLimits(rows, outer.maxBytes());
      return this;
    }

    /**
     * The number of threads that queries may use for history, at least 1; by default 1. Each query
     * always has one thread, even if they are more.
     */
    public Builder queryThreads(int threads) {
      if (threads < 1) {
        throw new IllegalArgumentException("queries need at least one thread, not " + threads);
      }
      this.queryThreads = threads;
      return this;
    }

    /** The duration from which a query is logged. */
    public Builder slowQuery(Duration threshold) {
      this.slowQuery = threshold;
      return this;
    }

    /** The server's clock, which is used only to find stamps that are too far in the future. */
    public Builder clock(PhysicalClock clock) {
      this.clock = clock;
      return this;
    }

    /** The stopwatch for silence and durations. */
    public Builder monotonicClock(MonotonicClock clock) {
      this.monotonicClock = clock;
      return this;
    }

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public ServerConfig build() {
      QueryLimits limits = QueryLimits.DEFAULT;
      long shownBytes =
          Math.min(late.maxShownBytes(), Runtime.getRuntime().maxMemory() / SHOWN_SHARE);
      return new ServerConfig(
          dataDirectory,
          host,
          port,
          access,
          idleTimeout,
          restartGrace,
          store,
          batchLimits,
          limits
              .withIdleTimeoutMicros(idleTimeout.toNanos() / 1_000)
              .with(outer)
              .with(new LateLimits(late.boundMicros(), shownBytes))
              .withWalkThreads(queryThreads),
          apiLimits,
          alignment,
          alerts,
          kafka,
          retention,
          releaseQuarantined,
          warmUp,
          slowQuery,
          clock,
          monotonicClock);
    }
  }
}
