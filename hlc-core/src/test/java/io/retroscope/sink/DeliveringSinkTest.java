// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.sink.Transport.Delivery;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A delivering sink with a scripted transport. */
class DeliveringSinkTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Logger logger = Logger.getLogger(DeliveringSink.class.getName());
  private final Lines lines = new Lines();
  private final AtomicLong laterNanos = new AtomicLong();
  private final Script script = new Script();

  @BeforeEach
  void listen() {
    logger.addHandler(lines);
  }

  @AfterEach
  void stopListening() {
    logger.removeHandler(lines);
  }

  @Test
  void deliver_sameReasonAgain_isLoggedOnceAMinute() {
    try (DeliveringSink sink = new Builder().build()) {
      sink.accept(Blocks.block(1, 1, 1));
      answer(Delivery.retry("it is away"), 20);
      assertThat(lines.texts).containsExactly("it does not accept events (it is away); retrying");

      laterNanos.addAndGet(Duration.ofSeconds(61).toNanos());
      answer(Delivery.retry("it is away"), 20);
      assertThat(lines.texts).hasSize(2);
    }
  }

  @Test
  void deliver_anotherReason_isLoggedAtOnce() {
    try (DeliveringSink sink = new Builder().build()) {
      sink.accept(Blocks.block(1, 1, 1));
      answer(Delivery.retry("it is away"), 3);
      answer(Delivery.retry("it knows you not"), 3);
      answer(Delivery.DELIVERED, 1);
      await().atMost(PATIENCE).until(() -> lines.texts.size() == 3);
      assertThat(lines.texts)
          .containsExactly(
              "it does not accept events (it is away); retrying",
              "it does not accept events (it knows you not); retrying",
              "it accepts events again");
    }
  }

  @Test
  void deliver_comesAndGoes_isNotLoggedEachTime() {
    try (DeliveringSink sink = new Builder().build()) {
      for (int number = 1; number <= 20; number++) {
        sink.accept(Blocks.block(number, 1, 1));
        answer(Delivery.retry("it is away"), 1);
        answer(Delivery.DELIVERED, 1);
      }
      await().atMost(PATIENCE).until(() -> sink.statistics().deliveredBlocks() == 20);
      assertThat(lines.texts)
          .containsExactly(
              "it does not accept events (it is away); retrying", "it accepts events again");
    }
  }

  @Test
  void deliver_failsUnexpectedly_isTriedAgain() {
    script.failures.add(new IllegalStateException("a bug"));
    script.failures.add(new NoClassDefFoundError("missing/Part"));
    try (DeliveringSink sink = new Builder().build()) {
      sink.accept(Blocks.block(1, 1, 1));
      answer(Delivery.DELIVERED, 1);
      await().atMost(PATIENCE).until(() -> sink.statistics().deliveredBlocks() == 1);

      assertThat(script.failures).isEmpty();
      assertThat(lines.texts)
          .contains(
              "it does not accept events (java.lang.IllegalStateException: a bug); retrying",
              "it accepts events again");
    }
  }

  @Test
  void builder_schemeThatNobodyKnows_saysSo() {
    assertThatThrownBy(
            () ->
                SinkProvider.builder(
                    URI.create("pigeon://roof/events"), getClass().getClassLoader()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no sink for \"pigeon://roof/events\": use http://host:7340, or add the"
                + " module for pigeon: addresses");
  }

  /** Gives these answers; returns when they are settled, or when the last one is about to be. */
  private void answer(Delivery delivery, int times) {
    for (int i = 0; i < times; i++) {
      script.answers.add(delivery);
    }
    boolean comesBack = !delivery.equals(Delivery.DELIVERED);
    await()
        .atMost(PATIENCE)
        .until(() -> script.answers.isEmpty() && (script.waiting.get() == 1 || !comesBack));
  }

  private final class Builder extends DeliveringSinkBuilder<Builder> {
    @Override
    protected Builder self() {
      return this;
    }

    @Override
    public DeliveringSink build() {
      nanos = () -> System.nanoTime() + laterNanos.get();
      backoff(Duration.ofMillis(1), Duration.ofMillis(1));
      closeTimeout(Duration.ofMillis(1));
      return new DeliveringSink(script, this);
    }
  }

  private static final class Script implements Transport {
    private final LinkedBlockingQueue<Delivery> answers = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    @Override
    public Delivery deliver(List<Parcel> parcels) throws InterruptedException {
      Throwable failure = failures.poll();
      if (failure instanceof RuntimeException bug) {
        throw bug;
      } else if (failure instanceof Error error) {
        throw error;
      }
      waiting.incrementAndGet();
      while (answers.peek() == null) {
        TimeUnit.MICROSECONDS.sleep(100);
      }
      waiting.decrementAndGet();
      return answers.take();
    }

    @Override
    public String target() {
      return "it";
    }

    @Override
    public void close() {}
  }

  private static final class Lines extends Handler {
    private final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      texts.add(new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
