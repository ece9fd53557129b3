// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link DeliveringSink} for queueing and retries, which are common to all
 * transports. Not thread-safe. A setting below its range throws an {@link IllegalArgumentException}
 * that names it.
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

  /** Called by the builder of each transport. */
  protected DeliveringSinkBuilder() {}

  /** This builder. */
  protected abstract B self();

  /** The capacity of the queue in memory, in bytes, 1 or more. */
  public B maxMemoryBytes(long bytes) {
    this.maxMemoryBytes = positive("maxMemoryBytes", bytes);
    return self();
  }

  /**
   * Enables a spill directory for blocks that exceed the memory, which the next process also reads.
   *
   * @param directory used by this sink only; created if it is missing
   * @param maxBytes the capacity in bytes, 1 or more
   */
  public B spill(Path directory, long maxBytes) {
    this.spillDirectory = directory;
    this.maxSpillBytes = positive("maxSpillBytes", maxBytes);
    return self();
  }

  /** The time for which {@link DeliveringSink#close} continues to deliver. */
  public B closeTimeout(Duration timeout) {
    this.closeTimeout = timeout;
    return self();
  }

  /**
   * The pause after a first failure, and the limit of its doubling; both at least one millisecond.
   */
  public B backoff(Duration first, Duration max) {
    positive("first backoff in ms", first.toMillis());
    positive("max backoff in ms", max.toMillis());
    this.firstBackoff = first;
    this.maxBackoff = max;
    return self();
  }

  /**
   * Starts the sink. The other side need not be available yet.
   *
   * @throws IllegalArgumentException if a setting is invalid; the message names it
   * @throws java.io.UncheckedIOException if the spill directory cannot be used
   */
  public abstract DeliveringSink build();

  /** The source of the jitter in pauses. */
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
