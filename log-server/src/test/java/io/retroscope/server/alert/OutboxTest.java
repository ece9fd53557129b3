// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.app.Hook;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.disk.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the delivery of messages at a server that may have lost the alerts to another one. */
@Timeout(60)
class OutboxTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final AlertDefinition ALERT =
      AlertDefinition.of(
          (CreateRule)
              new RqlParser()
                  .read("CREATE ALERT high AS (NEVER x@a >= 5 FROM t)")
                  .statement()
                  .orElseThrow(),
          "",
          "");

  @TempDir Path folder;

  /** Records that another process may take over. */
  private static final class Records implements AlertRecords {
    private final Map<String, byte[]> all = new TreeMap<>();
    private final AtomicBoolean isTaken = new AtomicBoolean(true);

    @Override
    public synchronized void putAlerts(Map<String, Optional<byte[]>> records) {
      records.forEach((key, value) -> all.compute(key, (same, old) -> value.orElse(null)));
    }

    @Override
    public void confirm() {
      if (isTaken.get()) {
        throw new StoreException("another server has taken over");
      }
    }

    @Override
    public synchronized void readAlerts(
        String prefix, String first, BiPredicate<String, byte[]> visitor) {
      all.forEach((key, value) -> visitor.test(key, value));
    }
  }

  /** The message may be out of date, and the other server sends it, too. */
  @Test
  void message_afterAnotherServerHasTakenOver_isNotDelivered() throws Exception {
    Records records = new Records();
    try (Hook hook = new Hook();
        Outbox outbox = outbox(hook, records)) {
      Batch batch = new Batch();
      batch.send(AlertMessage.test(ALERT, 1, "http://here"));
      List<Outbox.Entry> entries = batch.entries(List.of(outbox)).get(outbox);
      records.putAlerts(batch.records());
      outbox.start();
      entries.forEach(outbox::stored);
      await().atMost(PATIENCE).until(() -> outbox.failedCount() > 0);
      assertThat(outbox.trouble()).hasValue("another server has taken over");
      assertThat(hook.words()).isEmpty();
      records.isTaken.set(false);
      await().atMost(PATIENCE).until(() -> outbox.sentCount() == 1);
      assertThat(hook.words()).hasSize(1);
      await().atMost(PATIENCE).until(() -> outbox.waitingCount() == 0);
      assertThat(records.all).isEmpty();
    }
  }

  private Outbox outbox(Hook hook, AlertRecords records) throws Exception {
    Path file = Files.writeString(folder.resolve("receivers"), "ops webhook " + hook.url() + "\n");
    return new Outbox(
        ReceiverFile.read(file).receivers().get(0),
        records,
        new Outbox.Clocks(() -> 1, System::nanoTime),
        new Outbox.Sources(List::of, message -> message));
  }

  /** Otherwise the thread that delivers would end. */
  @Test
  void explanation_aPartitionCannotBeRead_isLeftOut() {
    QueryEngine unreadable =
        new QueryEngine(
            () -> {
              throw new PartitionException("no server has partition 3");
            },
            QueryLimits.DEFAULT);
    assertThat(CutExplanation.of(unreadable, ALERT.explanation(1L << 40, ""))).isEmpty();
  }
}
