// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.Value;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.engine.statement.AlertRefusedException;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.disk.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of requests about alerts while their records are written slowly, or not at all. */
@Timeout(120)
class AlertStoringTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(10);
  private static final String ALERT = "CREATE ALERT high AS (NEVER x@a >= 5 FROM t)";
  private static final long MINUTE_MICROS = 60_000_000;
  private static final int OPEN = 1_000_000;

  @TempDir Path directory;

  private final AtomicInteger lostScan = new AtomicInteger();
  private final ExecutorService requests = Executors.newCachedThreadPool();
  private FollowedStore store;
  private SlowRecords records;
  private AlertService service;

  /** Records that are written once the test permits it. */
  private static final class SlowRecords implements AlertRecords {
    private final AlertRecords of;
    private final Semaphore permits = new Semaphore(OPEN);
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicReference<Thread> writer = new AtomicReference<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicBoolean fails = new AtomicBoolean();

    SlowRecords(AlertRecords of) {
      this.of = of;
    }

    @Override
    public void putAlerts(Map<String, Optional<byte[]>> records) {
      writer.set(Thread.currentThread());
      begun.incrementAndGet();
      waiting.incrementAndGet();
      permits.acquireUninterruptibly();
      waiting.decrementAndGet();
      if (fails.get()) {
        throw new StoreException("the disk fails, on purpose");
      }
      of.putAlerts(records);
    }

    @Override
    public void readAlerts(String prefix, String first, BiPredicate<String, byte[]> visitor) {
      of.readAlerts(prefix, first, visitor);
    }

    /** Lets the next write wait. */
    void hold() {
      permits.drainPermits();
    }

    void awaitWrite() {
      until(() -> waiting.get() == 1);
    }

    /**
     * Waits until a write of another thread waits; those of this one are permitted.
     *
     * @return false if one of these has done what was requested
     */
    boolean awaitWriteOfOtherThan(Thread evaluation, Future<?> request) {
      until(() -> waiting.get() == 1 || request.isDone());
      while (waiting.get() == 1 && writer.get() == evaluation) {
        int before = begun.get();
        permits.release();
        until(() -> request.isDone() || begun.get() > before && waiting.get() == 1);
      }
      return waiting.get() == 1;
    }

    void release() {
      permits.release(OPEN);
    }
  }

  @BeforeEach
  void fire() throws Exception {
    store = new FollowedStore(directory);
    records = new SlowRecords(store.records());
    service = begun();
    CreateRule rule = (CreateRule) new RqlParser().read(ALERT).statement().orElseThrow();
    service.create(AlertDefinition.of(rule, "", ""), ALERT, false, "somebody");
    awaitState("firing");
  }

  private AlertService begun() {
    AlertService begun =
        new AlertService(
            AlertOptions.NONE, store.losing(lostScan), records, store.clock(), () -> "http://here");
    begun.start();
    return begun;
  }

  private List<Value> awaitState(String state) {
    await()
        .atMost(PATIENCE)
        .pollInterval(POLL)
        .untilAsserted(
            () -> {
              proceed();
              assertThat(service.states().get(0)).contains(Value.of(state), Value.of("ok"));
            });
    return service.states().get(0);
  }

  /** Lets time pass, for which the service may wait. */
  private void proceed() {
    store.pass(500_000);
    synchronized (service) {
      service.notifyAll();
    }
    store.append(9);
    store.parts.watermarks().advance();
  }

  private void restart() {
    end();
    service = begun();
  }

  private void end() {
    CompletableFuture<Void> ended = CompletableFuture.runAsync(service::close, requests);
    proceedUntil(ended::isDone);
  }

  @AfterEach
  void close() {
    records.release();
    end();
    requests.shutdown();
    store.close();
  }

  private static void until(Callable<Boolean> condition) {
    await().atMost(PATIENCE).pollInterval(POLL).until(condition);
  }

  /** Lets time pass until something is so. */
  private void proceedUntil(Callable<Boolean> condition) {
    until(
        () -> {
          proceed();
          return condition.call();
        });
  }

  private Value mutedUntil() {
    return service.states().get(0).get(7);
  }

  private CompletableFuture<Long> mute(String by) {
    return CompletableFuture.supplyAsync(() -> service.mute("high", MINUTE_MICROS, by), requests);
  }

  private CompletableFuture<List<String>> acknowledge(String by) {
    return CompletableFuture.supplyAsync(
        () -> service.acknowledge("high", Optional.empty(), by), requests);
  }

  @Test
  void states_whileRecordsAreWritten_areAnswered() {
    records.hold();
    CompletableFuture<Long> muted = mute("ann");
    records.awaitWrite();

    assertThat(CompletableFuture.supplyAsync(service::states, requests))
        .succeedsWithin(PATIENCE)
        .satisfies(rows -> assertThat(rows).hasSize(1));
    assertThat(CompletableFuture.supplyAsync(service::trouble, requests)).succeedsWithin(PATIENCE);
    assertThat(muted).as("before it is durable").isNotDone();

    records.release();
    assertThat(muted).succeedsWithin(PATIENCE);
  }

  @Test
  void acknowledge_whileOtherRecordsCannotBeWritten_nothingIsForgotten() {
    records.hold();
    CompletableFuture<Long> muted = mute("ann");
    records.awaitWrite();
    records.fails.set(true);
    CompletableFuture<List<String>> acknowledged = acknowledge("bob");
    until(() -> service.states().get(0).contains(Value.of("bob")));
    assertThat(acknowledged).as("before it is durable").isNotDone();

    records.release();
    assertThat(muted)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(AlertRefusedException.class)
        .withMessageContaining("the change is not stored yet");
    until(acknowledged::isDone);
    records.fails.set(false);

    Value until = mutedUntil();
    List<Value> unused = awaitState("firing");
    restart();
    assertThat(awaitState("firing")).contains(Value.of("bob")).element(7).isEqualTo(until);
  }

  /** After a partition was lost, the evaluation begins again with what is stored. */
  @Test
  void acknowledge_asTheEvaluationBeginsAgain_isStoredBeforeItReads() {
    lostScan.set(1);
    proceedUntil(() -> lostScan.get() == 0);
    records.hold();
    CompletableFuture<Long> first = muteByOwnWrite();
    Value until = mutedUntil();
    proceedUntil(this::isEvaluationWaiting);
    CompletableFuture<Long> second = mute("ann");
    until(() -> !mutedUntil().equals(until));

    records.permits.release();
    assertThat(first).succeedsWithin(PATIENCE);
    records.awaitWrite();
    CompletableFuture<List<String>> acknowledged = acknowledge("bob");
    until(() -> service.states().get(0).contains(Value.of("bob")));
    records.release();
    assertThat(acknowledged).succeedsWithin(PATIENCE);
    assertThat(second).succeedsWithin(PATIENCE);
    assertThat(awaitState("firing")).contains(Value.of("bob"));
  }

  /** The store is closed next. */
  @Test
  void close_beforeAWriteEnds_nothingIsReadAfterwards() throws Exception {
    records.hold();
    CompletableFuture<Long> muted = muteByOwnWrite();
    proceedUntil(this::isEvaluationWaiting);
    Thread closing = new Thread(service::close);
    closing.start();
    closing.interrupt(); // Instead of the time for which it waits.
    closing.join();
    int views = store.viewCount.get();

    records.release();
    assertThat(muted).succeedsWithin(PATIENCE);
    service.thread().join();
    assertThat(store.viewCount).hasValue(views);
  }

  /** A request whose write waits, and is not one of the evaluation, which may do it, too. */
  private CompletableFuture<Long> muteByOwnWrite() {
    CompletableFuture<Long> muted = mute("ann");
    while (!records.awaitWriteOfOtherThan(service.thread(), muted)) {
      muted = mute("ann");
    }
    return muted;
  }

  /** Whether a turn has begun, and waits for the write. */
  private boolean isEvaluationWaiting() {
    return Stream.of(service.thread().getStackTrace())
        .map(StackTraceElement::getMethodName)
        .toList()
        .containsAll(List.of("lock", "tryTurn"));
  }
}
