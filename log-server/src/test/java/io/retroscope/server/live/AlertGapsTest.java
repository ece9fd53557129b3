// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.Value;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.app.Hook;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the reports of times without an evaluation of alerts. */
@Timeout(120)
class AlertGapsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_MICROS = 500_000;

  @TempDir Path directory;
  private Path rules;

  @BeforeEach
  void write() throws IOException {
    rules = Files.createDirectory(directory.resolve("rules"));
    Files.writeString(rules.resolve("a.rql"), "CREATE ALERT high AS (NEVER MAX(x) >= 5 FROM t);\n");
  }

  private AlertService service(
      FollowedStore store, AlertRecords records, Optional<Path> receivers) {
    AlertService service =
        new AlertService(
            new AlertOptions(Optional.of(rules), receivers),
            store.parts,
            records,
            store.clock(),
            () -> "http://here");
    service.start();
    return service;
  }

  private static void proceed(FollowedStore store, long value) {
    store.pass(PAUSE_MICROS); // The service waits for time after a failure.
    store.append(value);
    store.parts.watermarks().advance();
  }

  @Test
  void describe_afterRetentionHasRemovedWhatWasNotEvaluated_namesTheRange() throws Exception {
    try (FollowedStore store = new FollowedStore(directory.resolve("data"))) {
      proceed(store, 1);
      try (AlertService first = service(store, store.records(), Optional.empty())) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> {
                  proceed(store, 9);
                  assertThat(first.states().get(0)).contains(Value.of("firing"), Value.of("ok"));
                });
        assertThat(first.describe("high")).containsEntry("notEvaluated", Value.of(""));
      }
      for (int i = 0; i < 5; i++) {
        proceed(store, 9);
      }
      assertThat(((EventStore) store.records()).retain(blocks -> blocks.count() - 1)).isPositive();
      try (AlertService next = service(store, store.records(), Optional.empty())) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> {
                  proceed(store, 9);
                  assertThat(next.states().get(0)).contains(Value.of("firing"), Value.of("ok"));
                });
        assertThat(next.describe("high").get("notEvaluated"))
            .asString()
            .containsPattern(
                "not evaluated from \\d+\\.\\d+ to \\d+\\.\\d+: retention removed these events");
      }
    }
  }

  /** A wrong file of rules is no reason: the alerts before are evaluated. */
  @Test
  void signOfLife_isSentOnlyWhileAlertsAreEvaluated() throws Exception {
    Path receivers = directory.resolve("receivers");
    try (Hook watch = new Hook();
        FollowedStore store = new FollowedStore(directory.resolve("data"))) {
      Files.writeString(receivers, "watch deadman %s every=1s\n".formatted(watch.url()));
      FailingRecords records = new FailingRecords(store.records());
      records.fails.set(true);
      proceed(store, 1);
      try (AlertService service = service(store, records, Optional.of(receivers))) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> {
                  proceed(store, 1);
                  assertThat(service.trouble().orElse("")).contains("on purpose");
                });
        int before = awaitNoMore(watch, store);
        records.fails.set(false);
        Files.writeString(rules.resolve("a.rql"), "CREATE ALERT;");
        service.refresh();
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  proceed(store, 1);
                  return watch.bodies().size() > before;
                });
        assertThat(service.trouble().orElse("")).startsWith("the files of rules are wrong");
      }
    }
  }

  /** Waits until a period has passed without a sign: one may have been on its way. */
  private static int awaitNoMore(Hook watch, FollowedStore store) {
    AtomicInteger before = new AtomicInteger(-1);
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(1_200)) // Longer than a period.
        .until(
            () -> {
              store.pass(TimeUnit.SECONDS.toMicros(1));
              int signs = watch.bodies().size();
              return before.getAndSet(signs) == signs;
            });
    return before.get();
  }

  /** Records that cannot be written for a while. */
  private record FailingRecords(AlertRecords records, AtomicBoolean fails) implements AlertRecords {
    FailingRecords(AlertRecords records) {
      this(records, new AtomicBoolean());
    }

    @Override
    public void putAlerts(Map<String, Optional<byte[]>> changes) {
      if (fails.get()) {
        throw new StoreException("nothing can be stored, on purpose");
      }
      records.putAlerts(changes);
    }

    @Override
    public void readAlerts(String prefix, String first, BiPredicate<String, byte[]> visitor) {
      records.readAlerts(prefix, first, visitor);
    }
  }
}
