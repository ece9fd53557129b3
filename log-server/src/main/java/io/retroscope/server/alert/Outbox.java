// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages that one receiver has not accepted yet, and the thread that delivers them in their
 * order. They are stored before they are delivered and removed afterwards, so that each is
 * delivered at least once. Thread-safe.
 */
final class Outbox implements AutoCloseable {
  /** The largest number of messages; later ones are only counted. */
  static final int MAX_MESSAGES = 10_000;

  /** The messages of one delivery. */
  private static final int MAX_TOGETHER = 200;

  private static final int MAX_EXPLAINED = 3;
  private static final long MAX_AGE_MICROS = TimeUnit.HOURS.toMicros(24);
  private static final long FIRST_PAUSE_MILLIS = 500;
  private static final long LONGEST_PAUSE_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final long REPETITION_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long LONGEST_WAIT_MILLIS = 10_000;
  private static final Logger logger = LoggerFactory.getLogger(Outbox.class);

  private final Receiver receiver;
  private final AlertRecords store;
  private final Clocks clocks;
  private final Random jitter;
  private final Sources sources;
  private final Deque<Entry> waiting = new ArrayDeque<>();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread;
  private long omitted;

  /** When what holds was delivered again; used by the thread only. */
  private long repeatedNanos;

  /** The keys of delivered messages whose records could not be removed; used by the thread only. */
  private final Set<String> undeleted = new HashSet<>();

  private long nextNumber;
  private Optional<String> trouble = Optional.empty();
  private boolean closed;

  /**
   * What an outbox needs to know about the alerts. Called without its lock.
   *
   * @param firing the messages of all that holds, for receivers that forget it
   * @param explained adds an explanation to a message, if there is one
   */
  record Sources(Supplier<List<AlertMessage>> firing, UnaryOperator<AlertMessage> explained) {}

  /** The clocks of an outbox: for the age of messages, and for pauses. */
  record Clocks(PhysicalClock physical, MonotonicClock monotonic) {}

  /**
   * A message.
   *
   * @param key of its record
   * @param atMicros when it was put here, on the server's clock
   */
  record Entry(String key, AlertMessage message, long atMicros) {
    StructValue fields() {
      Map<String, Value> fields = new LinkedHashMap<>();
      fields.put("at", Value.of(atMicros));
      fields.put("message", message.fields());
      return new StructValue(fields);
    }

    static Entry of(String key, StructValue fields) {
      if (fields.fields().get("message") instanceof StructValue message
          && fields.fields().get("at") instanceof LongValue at) {
        return new Entry(key, new AlertMessage(List.of(), message), at.value());
      }
      throw new IllegalArgumentException("the record " + key + " is no message");
    }
  }

  /**
   * Creates an outbox with the messages that an earlier process has left.
   *
   * @param sources what it needs to know about the alerts
   */
  Outbox(Receiver receiver, AlertRecords store, Clocks clocks, Sources sources) {
    this.receiver = receiver;
    this.store = store;
    this.clocks = clocks;
    this.repeatedNanos = clocks.monotonic().nanos() - REPETITION_NANOS;
    this.jitter = new Random(receiver.name().hashCode() ^ clocks.physical().micros());
    this.sources = sources;
    String prefix = AlertKeys.messages(receiver.name());
    store.readAlerts(
        prefix,
        prefix,
        (key, bytes) -> {
          waiting.add(Entry.of(key, Batch.read(bytes)));
          nextNumber = Math.max(nextNumber, number(key, prefix) + 1);
          return true;
        });
    thread = new Thread(this::run, "alerts-to-" + receiver.name());
    thread.setDaemon(true);
  }

  private static long number(String key, String prefix) {
    return Long.parseUnsignedLong(key.substring(prefix.length()), 16);
  }

  void start() {
    thread.start();
  }

  Receiver receiver() {
    return receiver;
  }

  boolean takes(AlertMessage message) {
    return isAmong(message.receivers());
  }

  /**
   * Whether its receiver is one of these.
   *
   * @param receivers names; all receivers if empty
   */
  boolean isAmong(List<String> receivers) {
    return receivers.isEmpty() || receivers.contains(receiver.name());
  }

  /**
   * Adds a message to a batch; {@link #stored} follows once that is stored.
   *
   * @return empty if there is no place for it
   */
  synchronized Optional<Entry> add(AlertMessage message, Batch batch) {
    if (waiting.size() >= MAX_MESSAGES) {
      omitted++;
      dropped.incrementAndGet();
      return Optional.empty();
    }
    Entry entry =
        new Entry(
            AlertKeys.message(receiver.name(), nextNumber++), message, clocks.physical().micros());
    batch.put(entry.key(), JsonValues.text(entry.fields()));
    return Optional.of(entry);
  }

  /** Delivers a message, which is stored now. */
  synchronized void stored(Entry entry) {
    waiting.add(entry);
    notifyAll();
  }

  private void run() {
    try {
      int failures = 0;
      while (awaitWork(failures)) {
        failures = turn() ? 0 : failures + 1;
      }
    } catch (InterruptedException e) {
      // The server is shutting down; what waits is stored.
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("the delivery of alerts to {} has ended", receiver.name(), e);
      fail("its thread has ended: " + e);
    }
  }

  /** Waits after a failure, and then for messages or the next repetition. */
  private synchronized boolean awaitWork(int failures) throws InterruptedException {
    if (failures > 0) {
      long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(20, failures - 1));
      long jittered = pause / 2 + jitter.nextInt((int) pause / 2 + 1);
      long until = clocks.monotonic().nanos() + TimeUnit.MILLISECONDS.toNanos(jittered);
      for (long left = jittered; left > 0 && !closed; ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(until - clocks.monotonic().nanos());
      }
    }
    boolean isDue = false;
    while (waiting.isEmpty() && !closed && !isRepetitionDue() && !isDue) {
      wait(LONGEST_WAIT_MILLIS);
      isDue = !undeleted.isEmpty();
    }
    return !closed;
  }

  private boolean isRepetitionDue() {
    return receiver.wantsRepetition()
        && clocks.monotonic().nanos() - repeatedNanos >= REPETITION_NANOS;
  }

  /** Delivers the next messages; returns whether that succeeded. */
  private boolean turn() throws InterruptedException {
    List<Entry> next = next();
    boolean repeats = isRepetitionDue();
    List<AlertMessage> messages =
        lastOfEachEpisode(next, repeats ? sources.firing().get() : List.of());
    long left = takeOmitted();
    if (messages.isEmpty()) {
      remove(next);
      repeatedNanos = repeats ? clocks.monotonic().nanos() : repeatedNanos;
      return true;
    }
    try {
      List<AlertMessage> explained = explained(messages);
      store.confirm();
      receiver.deliver(explained, left);
    } catch (IOException | StoreException e) {
      giveBack(left);
      fail(String.valueOf(e.getMessage()));
      return false;
    }
    repeatedNanos = repeats ? clocks.monotonic().nanos() : repeatedNanos;
    remove(next);
    succeed(messages.size());
    return true;
  }

  /**
   * Explains the first messages; many together are a storm, in which people do not read that much.
   */
  private List<AlertMessage> explained(List<AlertMessage> messages) {
    List<AlertMessage> all = new ArrayList<>(messages);
    for (int i = 0; i < Math.min(MAX_EXPLAINED, all.size()); i++) {
      all.set(i, sources.explained().apply(all.get(i)));
    }
    return all;
  }

  private synchronized List<Entry> next() {
    List<Entry> next = new ArrayList<>();
    for (Entry entry : waiting) {
      if (next.size() == MAX_TOGETHER) {
        break;
      }
      next.add(entry);
    }
    return next;
  }

  private synchronized long takeOmitted() {
    long taken = omitted;
    omitted = 0;
    return taken;
  }

  private synchronized void giveBack(long count) {
    omitted += count;
  }

  /**
   * A rise and a fall that wait together are one message; old ones are dropped.
   *
   * @param repeated messages of episodes that still hold, which others replace
   */
  private List<AlertMessage> lastOfEachEpisode(List<Entry> entries, List<AlertMessage> repeated) {
    long oldest = clocks.physical().micros() - MAX_AGE_MICROS;
    Map<String, AlertMessage> last = new LinkedHashMap<>();
    repeated.stream()
        .filter(this::takes)
        .limit(MAX_MESSAGES)
        .forEach(message -> last.put(message.text("episode"), message));
    for (Entry entry : entries) {
      String episode = entry.message().text("episode");
      last.remove(episode);
      if (entry.atMicros() >= oldest) {
        last.put(episode, entry.message());
      } else {
        dropped.incrementAndGet();
      }
    }
    return List.copyOf(last.values());
  }

  private void remove(List<Entry> delivered) throws InterruptedException {
    if (delivered.isEmpty() && undeleted.isEmpty()) {
      return;
    }
    Map<String, Optional<byte[]>> records = new LinkedHashMap<>();
    undeleted.forEach(key -> records.put(key, Optional.empty()));
    delivered.forEach(entry -> records.put(entry.key(), Optional.empty()));
    try {
      store.putAlerts(records);
      undeleted.clear();
    } catch (StoreException | StoreBusyException e) {
      // If the server ends before the next attempt, they are delivered again with the same keys.
      undeleted.addAll(records.keySet());
      logger.warn("delivered alerts remain in the outbox of {}", receiver.name(), e);
    }
    synchronized (this) {
      delivered.forEach(entry -> waiting.remove());
    }
  }

  private synchronized void succeed(int count) {
    sent.addAndGet(count);
    if (trouble.isPresent()) {
      logger.info("{} accepts alerts again", receiver.name());
    }
    trouble = Optional.empty();
  }

  private synchronized void fail(String reason) {
    failed.incrementAndGet();
    if (trouble.isEmpty()) {
      logger.warn("{} does not accept alerts: {}; trying again", receiver.name(), reason);
    }
    trouble = Optional.of(reason);
  }

  /** Delivers a message once, past the others, and returns the fault; empty if there is none. */
  Optional<String> test(AlertMessage message) throws InterruptedException {
    try {
      receiver.deliver(List.of(message), 0);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  synchronized int waitingCount() {
    return waiting.size();
  }

  long sentCount() {
    return sent.get();
  }

  long failedCount() {
    return failed.get();
  }

  long droppedCount() {
    return dropped.get();
  }

  /** Why the last delivery failed; empty if it did not. */
  synchronized Optional<String> trouble() {
    return trouble;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
