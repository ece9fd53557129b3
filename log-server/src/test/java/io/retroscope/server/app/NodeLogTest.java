// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.health.Health;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of the log lines about nodes and health, and of their frequency. */
@Timeout(60)
class NodeLogTest {
  private static final long NOW_MICROS = 1_800_000_000_000_000L;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.retroscope.server");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong();
  private long micros = NOW_MICROS - 60_000_000;

  @TempDir Path directory;
  private EventStore store;
  private WatermarkTracker tracker;
  private final NodeLog log = new NodeLog(TimeUnit.NANOSECONDS.toMicros(IDLE_NANOS));

  @BeforeEach
  void listen() {
    store = EventStore.open(directory, StoreOptions.DEFAULT, () -> NOW_MICROS);
    tracker = new WatermarkTracker(nanos::get, () -> NOW_MICROS, IDLE_NANOS, store.incarnations());
    store.addListener(tracker);
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.INFO);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(lines);
    logger.setLevel(null);
    store.close();
  }

  @Test
  void noteOverlaps_isOneLinePerNode() {
    Overlap overlap =
        new Overlap("a", new HlcRange(HlcTimestamp.pack(1), HlcTimestamp.pack(2)), false);
    log.noteOverlaps(List.of(overlap));
    log.noteOverlaps(List.of(overlap));
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "node a: two of its runs overlap from hlc'1.0' to hlc'2.0': two processes may use one"
                + " name");
    assertThat(lines.list.get(0).getLevel()).isEqualTo(Level.WARN);
  }

  @Test
  void note_nodeAppearsFallsSilentAndComesBack_isOneLineEach() {
    look();
    heartbeat("a");
    heartbeat("b");
    look();
    look();
    for (int i = 0; i < 5; i++) {
      nanos.addAndGet(IDLE_NANOS / 2);
      heartbeat("a");
      look();
    }
    heartbeat("b");
    look();
    assertThat(loggedLines())
        .containsExactly(
            "INFO node a appeared",
            "INFO node b appeared",
            "WARN node b is silent: live queries continue without it",
            "INFO node b is back");
  }

  @Test
  void note_nodeThatWasHeardOnce_appearsAndIsSilentAtTheNextLook() {
    look();
    heartbeat("a");
    nanos.addAndGet(2 * IDLE_NANOS);
    look();
    look();
    look();
    assertThat(loggedLines())
        .containsExactly(
            "INFO node a appeared", "WARN node a is silent: live queries continue without it");
  }

  @Test
  void note_manyAtOnce_areCountedBeyondTheFirst() {
    look();
    for (int i = 10; i < 60; i++) {
      heartbeat("n" + i);
    }
    look();
    assertThat(loggedLines())
        .hasSize(NodeLog.MAX_NAMED + 1)
        .contains("INFO node n10 appeared", "INFO node n19 appeared")
        .endsWith("INFO and 40 more nodes: appeared");
  }

  @Test
  void note_nodesOfAnEarlierRun_areNoNews() {
    heartbeat("a");
    look();
    look();
    assertThat(loggedLines()).isEmpty();
  }

  @Test
  void notice_clocksToCorrect_isLoggedOnceAndNoTrouble() {
    AtomicLong seconds = new AtomicLong(10);
    Health health = new Health();
    health.addNotice(
        () -> seconds.get() > 0 ? Optional.of(seconds.get() + " s ahead") : Optional.empty());
    assertThat(health.notice()).hasValue("10 s ahead");
    seconds.set(11);
    assertThat(health.notice()).hasValue("11 s ahead");
    assertThat(health.trouble()).isEmpty();
    seconds.set(0);
    assertThat(health.notice()).isEmpty();
    assertThat(loggedLines())
        .containsExactly("WARN 10 s ahead", "INFO what was noticed is corrected");
  }

  @Test
  void trouble_otherCheckFails_isLoggedOnceThoughItsNumbersChange() {
    AtomicLong seconds = new AtomicLong(10);
    Optional<String> none = Optional.empty();
    Health health = new Health();
    health.add(() -> seconds.get() > 12 ? Optional.of("the disk is full") : none);
    health.add(() -> seconds.get() > 0 ? Optional.of(seconds.get() + " s behind") : none);
    for (int i = 0; i < 5; i++) {
      health.trouble();
      seconds.incrementAndGet();
    }
    seconds.set(0);
    health.trouble();
    health.trouble();
    assertThat(loggedLines())
        .containsExactly(
            "WARN not ready: 10 s behind", "WARN not ready: the disk is full", "INFO ready again");
  }

  private void heartbeat(String node) {
    micros += 1_000;
    Heartbeats.send(store, node, micros);
  }

  private void look() {
    tracker.advance();
    log.note(tracker.lanes());
  }

  private List<String> loggedLines() {
    return lines.list.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }
}
