// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.store.disk.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of when and what a server writes about events that are too old. */
class RetentionTaskTest {
  private static final long HOUR = TimeUnit.HOURS.toMicros(1);
  private static final Duration AGE = Duration.ofHours(100);

  private final AtomicLong clock = new AtomicLong(1_000 * HOUR + HOUR / 2);
  private final AtomicBoolean fails = new AtomicBoolean();
  private final List<Directive.Trim> trims = new ArrayList<>();

  private RetentionTask task() {
    return new RetentionTask(
        AGE,
        clock::get,
        trim -> {
          if (fails.get()) {
            throw new StoreException("the topic could not be written");
          }
          trims.add(trim);
        });
  }

  @Test
  void run_once_isRepeatedWhenAnotherStepIsTooOld() {
    RetentionTask task = task();
    task.run();
    task.run();
    clock.addAndGet(HOUR / 4);
    task.run();
    assertThat(trims)
        .as("a multiple of the step, whatever the time of the run")
        .containsExactly(new Directive.Trim(HlcTimestamp.pack(900 * HOUR), 100 * HOUR));
    clock.addAndGet(HOUR / 4);
    task.run();
    assertThat(trims)
        .hasSize(2)
        .endsWith(new Directive.Trim(HlcTimestamp.pack(901 * HOUR), 100 * HOUR));
  }

  @Test
  void run_topicCannotBeWritten_isRepeated() {
    fails.set(true);
    RetentionTask task = task();
    task.run();
    assertThat(trims).isEmpty();
    fails.set(false);
    task.run();
    assertThat(trims).hasSize(1);
  }

  @Test
  void run_clockNearItsBegin_removesNothing() {
    clock.set(HOUR);
    task().run();
    assertThat(trims).isEmpty();
  }
}
