package io.retroscope.sink;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Says how an {@link HttpSink} is to work. */
public final class HttpSinkBuilder {
  /** The default of {@link #maxMemoryBytes}. */
  public static final long DEFAULT_MAX_MEMORY_BYTES = 32L << 20;

  /** The default of {@link #spill}'s limit. */
  public static final long DEFAULT_MAX_SPILL_BYTES = 1L << 30;

  URI server = HttpSink.DEFAULT_SERVER;
  boolean gzip = true;
  long maxMemoryBytes = DEFAULT_MAX_MEMORY_BYTES;
  @Nullable Path spillDirectory;
  long maxSpillBytes = DEFAULT_MAX_SPILL_BYTES;
  Duration requestTimeout = Duration.ofSeconds(10);
  Duration closeTimeout = Duration.ofSeconds(5);
  Duration firstBackoff = Duration.ofMillis(100);
  Duration maxBackoff = Duration.ofSeconds(10);
  RandomGenerator random = new SplittableRandom();
  LongSupplier nanos = System::nanoTime;

  HttpSinkBuilder() {}

  /**
   * The log server, as in {@code http://host:7340}.
   *
   * @throws IllegalArgumentException if it is no http or https address
   */
  public HttpSinkBuilder server(URI server) {
    String scheme = String.valueOf(server.getScheme());
    if ((!scheme.equals("http") && !scheme.equals("https")) || server.getHost() == null) {
      throw new IllegalArgumentException(
          "the log server's address must be like http://host:7340: " + server);
    }
    this.server = server;
    return this;
  }

  /** Whether to compress requests; true by default. */
  public HttpSinkBuilder gzip(boolean gzip) {
    this.gzip = gzip;
    return this;
  }

  /** How much may wait in memory, in bytes, 1 or more. */
  public HttpSinkBuilder maxMemoryBytes(long bytes) {
    this.maxMemoryBytes = positive("maxMemoryBytes", bytes);
    return this;
  }

  /**
   * Where to keep what has no room in memory, also for the next process.
   *
   * @param directory of this sink alone; created where it is missing
   * @param maxBytes how much to keep, 1 or more
   */
  public HttpSinkBuilder spill(Path directory, long maxBytes) {
    this.spillDirectory = directory;
    this.maxSpillBytes = positive("maxSpillBytes", maxBytes);
    return this;
  }

  /** How long to wait for a connection and for an answer. */
  public HttpSinkBuilder requestTimeout(Duration timeout) {
    positive("requestTimeout", timeout.toMillis());
    this.requestTimeout = timeout;
    return this;
  }

  /** How long {@link HttpSink#close} goes on delivering. */
  public HttpSinkBuilder closeTimeout(Duration timeout) {
    this.closeTimeout = timeout;
    return this;
  }

  /** The pause after a failure, and where its doubling ends; both at least a millisecond. */
  public HttpSinkBuilder backoff(Duration first, Duration max) {
    positive("first backoff in ms", first.toMillis());
    positive("max backoff in ms", max.toMillis());
    this.firstBackoff = first;
    this.maxBackoff = max;
    return this;
  }

  /** What the pauses' random part comes from. */
  HttpSinkBuilder random(RandomGenerator random) {
    this.random = random;
    return this;
  }

  private static long positive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be at least 1: " + value);
    }
    return value;
  }

  /**
   * Starts the sink.
   *
   * @throws java.io.UncheckedIOException if the spill directory cannot be used
   */
  public HttpSink build() {
    return new HttpSink(this);
  }
}
