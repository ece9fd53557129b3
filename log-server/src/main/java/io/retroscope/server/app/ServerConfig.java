package io.retroscope.server.app;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.api.ApiLimits;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a log server runs. Immutable; built with {@link #in}.
 *
 * @param dataDirectory made if it does not exist
 * @param host the address to listen on
 * @param port 0 for any that is free
 * @param access who may do what, and by which names
 * @param idleTimeout how long a node may be silent and still holds back live queries
 * @param retention what of the stored events may go
 * @param releaseQuarantined whether events that were stamped too far in the future are stored once
 *     the server's clock has passed their stamps
 * @param slowQuery how long a query may take without being logged
 * @param kafka the topic to take events from, beside HTTP; empty for none
 */
public record ServerConfig(
    Path dataDirectory,
    String host,
    int port,
    AccessOptions access,
    Duration idleTimeout,
    StoreOptions store,
    NdjsonReader.Limits batchLimits,
    QueryLimits queryLimits,
    ApiLimits apiLimits,
    AlignmentSettings alignment,
    Optional<KafkaOptions> kafka,
    Retention retention,
    boolean releaseQuarantined,
    Duration slowQuery,
    PhysicalClock clock,
    MonotonicClock monotonicClock) {
  /** The port of log servers. */
  public static final int DEFAULT_PORT = 7340;

  /** The address of log servers: only this machine reaches it. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** Checks the ranges. */
  public ServerConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be within 0..65535: " + port);
    }
    if (idleTimeout.isNegative() || idleTimeout.isZero()) {
      throw new IllegalArgumentException("idle timeout must be positive: " + idleTimeout);
    }
  }

  /** The defaults, with the data in a directory. */
  public static Builder in(Path dataDirectory) {
    return new Builder(dataDirectory);
  }

  /** Gathers what differs from the defaults. */
  public static final class Builder {
    private final Path dataDirectory;
    private String host = DEFAULT_HOST;
    private int port = DEFAULT_PORT;
    private AccessOptions access = AccessOptions.DEFAULT;
    private Duration idleTimeout = Duration.ofSeconds(1);
    private StoreOptions store = StoreOptions.DEFAULT;
    private NdjsonReader.Limits batchLimits = NdjsonReader.Limits.BATCH;
    private ApiLimits apiLimits = ApiLimits.DEFAULT;
    private AlignmentSettings alignment = AlignmentSettings.DEFAULT;
    private Optional<KafkaOptions> kafka = Optional.empty();
    private Retention retention = Retention.KEEP_ALL;
    private boolean releaseQuarantined;
    private Duration slowQuery = Duration.ofSeconds(5);
    private PhysicalClock clock = PhysicalClock.system();
    private MonotonicClock monotonicClock = MonotonicClock.system();

    private Builder(Path dataDirectory) {
      this.dataDirectory = dataDirectory;
    }

    /** The address to listen on; only this machine reaches the default. */
    public Builder host(String host) {
      this.host = host;
      return this;
    }

    /** The port to listen on, 0 for any that is free. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Who may do what, and by which names; by default everybody who reaches it everything. */
    public Builder access(AccessOptions options) {
      this.access = options;
      return this;
    }

    /** How long a node may be silent and still holds back live queries. */
    public Builder idleTimeout(Duration timeout) {
      this.idleTimeout = timeout;
      return this;
    }

    /** What the store may use. */
    public Builder store(StoreOptions options) {
      this.store = options;
      return this;
    }

    /** How long a line and a batch of events may be. */
    public Builder batchLimits(NdjsonReader.Limits limits) {
      this.batchLimits = limits;
      return this;
    }

    /** How much the API does at a time. */
    public Builder apiLimits(ApiLimits limits) {
      this.apiLimits = limits;
      return this;
    }

    /** What is assumed of the nodes' clocks and links. */
    public Builder alignment(AlignmentSettings settings) {
      this.alignment = settings;
      return this;
    }

    /** Takes events from a topic as well. */
    public Builder kafka(KafkaOptions options) {
      this.kafka = Optional.of(options);
      return this;
    }

    /** What of the stored events may go; nothing by default. */
    public Builder retention(Retention rule) {
      this.retention = rule;
      return this;
    }

    /** Stores quarantined events once the server's clock has passed their stamps. */
    public Builder releaseQuarantined(boolean release) {
      this.releaseQuarantined = release;
      return this;
    }

    /** How long a query may take without being logged. */
    public Builder slowQuery(Duration threshold) {
      this.slowQuery = threshold;
      return this;
    }

    /** The server's clock, which tells only what lies too far in the future. */
    public Builder clock(PhysicalClock clock) {
      this.clock = clock;
      return this;
    }

    /** Measures silence and running times. */
    public Builder monotonicClock(MonotonicClock clock) {
      this.monotonicClock = clock;
      return this;
    }

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException if a value lies outside its range
     */
    public ServerConfig build() {
      QueryLimits limits = QueryLimits.DEFAULT;
      return new ServerConfig(
          dataDirectory,
          host,
          port,
          access,
          idleTimeout,
          store,
          batchLimits,
          new QueryLimits(
              limits.maxBindings(),
              limits.maxSetElements(),
              limits.maxHeldRows(),
              limits.maxVariables(),
              idleTimeout.toNanos() / 1_000),
          apiLimits,
          alignment,
          kafka,
          retention,
          releaseQuarantined,
          slowQuery,
          clock,
          monotonicClock);
    }
  }
}
