// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of alerts while a partition of their events cannot be read. */
@Timeout(120)
class AlertPartitionTest {
  private static final String ALERT = "CREATE ALERT high AS (NEVER x@a >= 5 FROM t)";

  /** One view that is opened as the alert begins again, and that of a later step. */
  private static final List<Integer> VIEWS = List.of(1, 4);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_MICROS = 500_000;

  @TempDir Path directory;

  /** A service that runs, for which time passes only here. */
  private record Running(FollowedStore store, AlertService service) implements AutoCloseable {
    static Running over(FollowedStore store) {
      AlertService service =
          new AlertService(
              AlertOptions.NONE, store.parts, store.records(), store.clock(), () -> "http://here");
      service.start();
      return new Running(store, service);
    }

    void awaitState(long value, String state) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                store.pass(PAUSE_MICROS);
                synchronized (service) {
                  service.notifyAll(); // After a failure it waits for this time.
                }
                store.append(value);
                store.parts.watermarks().advance();
                List<Value> row = service.states().get(0);
                assertThat(row).contains(Value.of(state), Value.of("ok"));
              });
    }

    List<StructValue> history() {
      return service.history(Optional.empty(), 100);
    }

    /** Lets time pass until its thread has ended. */
    @Override
    public void close() {
      Thread closing = new Thread(service::close);
      closing.start();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                store.pass(PAUSE_MICROS);
                return !closing.isAlive();
              });
    }
  }

  /** Whichever view fails, no episode that is stored is retracted. */
  @Test
  void alert_aPartitionCannotBeReadOnce_continuesFromWhatIsStored() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      store.append(1);
      store.parts.watermarks().advance();
      try (Running first = Running.over(store)) {
        AlertDefinition alert =
            AlertDefinition.of(
                (CreateRule) new RqlParser().read(ALERT).statement().orElseThrow(), "", "");
        first.service().create(alert, ALERT, false, "somebody");
        first.awaitState(1, "inactive");
        first.awaitState(9, "firing");
      }
      for (int view : VIEWS) {
        store.unreadable.set(view);
        try (Running next = Running.over(store)) {
          List<StructValue> before = next.history();
          next.awaitState(9, "firing");
          assertThat(next.history()).as("view %d", view).isEqualTo(before);
          assertThat(store.unreadable).hasValue(0);
        }
      }
    }
  }
}
