// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of alerts while a partition of their events cannot be read. */
@Timeout(120)
class AlertPartitionTest {
  private static final String ALERT = "CREATE ALERT high AS (NEVER x@a >= 5 FROM t)";

  /** It does not share the walk of the other, so that one may be read and the other not. */
  private static final String SECOND =
      "CREATE ALERT second AS (NEVER x@n >= 5 FROM t FOR EACH NODE n)";

  /** One view that is opened as the alert begins again, and that of a later step. */
  private static final List<Integer> VIEWS = List.of(1, 4);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PAUSE_MICROS = 500_000;

  @TempDir Path directory;

  /** A service that runs, for which time passes only here. */
  private record Running(FollowedStore store, AlertService service) implements AutoCloseable {
    static Running over(FollowedStore store) {
      return over(store, store.parts);
    }

    static Running over(FollowedStore store, StreamingQuery.Parts parts) {
      AlertService service =
          new AlertService(
              AlertOptions.NONE, parts, store.records(), store.clock(), () -> "http://here");
      service.start();
      return new Running(store, service);
    }

    void create(String text) {
      CreateRule rule = (CreateRule) new RqlParser().read(text).statement().orElseThrow();
      service.create(AlertDefinition.of(rule, "", ""), text, false, "somebody");
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
                assertThat(service.states())
                    .allSatisfy(row -> assertThat(row).contains(Value.of(state), Value.of("ok")));
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
        first.create(ALERT);
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

  /** Whichever scan of a step fails, each rise is stored once, also that of the other alert. */
  @Test
  void alert_aPartitionIsLostInTheMiddleOfAStep_losesNoRiseAndDoublesNone() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      store.append(1);
      store.parts.watermarks().advance();
      AtomicInteger lostScan = new AtomicInteger();
      List<Value> rises = new ArrayList<>();
      try (Running first = Running.over(store, store.losing(lostScan))) {
        first.create(ALERT);
        first.create(SECOND);
        for (int scan = 1; scan <= 2; scan++) {
          first.awaitState(1, "inactive");
          lostScan.set(scan);
          store.append(9);
          rises.add(Value.of(HlcTimestamp.text(HlcTimestamp.pack(store.clock().micros()))));
          first.awaitState(9, "firing");
          assertThat(lostScan).as("scan %d was lost", scan).hasValue(0);
        }
        // A state is shown while the store still writes it.
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(rises(first, "second")).isEqualTo(rises));
      }
      try (Running next = Running.over(store)) {
        next.awaitState(9, "firing");
        assertThat(rises(next, "high")).as("as it is stored").isEqualTo(rises);
        assertThat(rises(next, "second")).as("as it is stored").isEqualTo(rises);
      }
    }
  }

  private static List<Value> rises(Running running, String alert) {
    return running.service().history(Optional.of(alert), 100).stream()
        .map(episode -> ((StructValue) episode.fields().get("rise")).fields().get("hlc"))
        .toList();
  }
}
