package io.retroscope.sink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Says how a {@link DeliveringSink} is to wait and to try again, whatever its transport.
 *
 * @param <B> the builder itself
 */
public abstract class DeliveringSinkBuilder<B extends DeliveringSinkBuilder<B>> {
  /** The default of {@link #maxMemoryBytes}. */
  public static final long DEFAULT_MAX_MEMORY_BYTES = 32L << 20;

  /** The default of {@link #spill}'s limit. */
  public static final long DEFAULT_MAX_SPILL_BYTES = 1L << 30;

  long maxMemoryBytes = DEFAULT_MAX_MEMORY_BYTES;
  @Nullable Path spillDirectory;
  long maxSpillBytes = DEFAULT_MAX_SPILL_BYTES;
  Duration closeTimeout = Duration.ofSeconds(5);
  Duration firstBackoff = Duration.ofMillis(100);
  Duration maxBackoff = Duration.ofSeconds(10);
  RandomGenerator random = new SplittableRandom();
  LongSupplier nanos = System::nanoTime;

  /** For the builders of one transport each. */
  protected DeliveringSinkBuilder() {}

  /** This. */
  protected abstract B self();

  /** How much may wait in memory, in bytes, 1 or more. */
  public B maxMemoryBytes(long bytes) {
    this.maxMemoryBytes = positive("maxMemoryBytes", bytes);
    return self();
  }

  /**
   * Where to keep what has no room in memory, also for the next process.
   *
   * @param directory of this sink alone; created where it is missing
   * @param maxBytes how much to keep, 1 or more
   */
  public B spill(Path directory, long maxBytes) {
    this.spillDirectory = directory;
    this.maxSpillBytes = positive("maxSpillBytes", maxBytes);
    return self();
  }

  /** How long {@link DeliveringSink#close} goes on delivering. */
  public B closeTimeout(Duration timeout) {
    this.closeTimeout = timeout;
    return self();
  }

  /** The pause after a failure, and where its doubling ends; both at least a millisecond. */
  public B backoff(Duration first, Duration max) {
    positive("first backoff in ms", first.toMillis());
    positive("max backoff in ms", max.toMillis());
    this.firstBackoff = first;
    this.maxBackoff = max;
    return self();
  }

  /**
   * Starts the sink. The other side need not be there yet.
   *
   * @throws IllegalArgumentException if a setting is wrong; the message names it
   * @throws java.io.UncheckedIOException if the spill directory cannot be used
   */
  public abstract DeliveringSink build();

  /** What the pauses' random part comes from. */
  B random(RandomGenerator random) {
    this.random = random;
    return self();
  }

  /** Refuses a value below 1, naming it. */
  protected static long positive(String what, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be at least 1: " + value);
    }
    return value;
  }
}
