// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.sink.Pace;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Interleavings that a real broker shows once in a thousand runs, with Kafka's own mock producer.
 */
class KafkaTransportTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<MockProducer<String, byte[]>> producers = new CopyOnWriteArrayList<>();

  @Test
  void deliver_nextIncarnation_isSentWhenAllBeforeItHasArrived() throws Exception {
    try (KafkaSink sink = sink()) {
      sink.accept(block("old", 1));
      awaitSent("old 1");
      sink.accept(block("old", 2));
      sink.accept(block("old", 3));
      sink.accept(block("new", 1));
      producer().completeNext();
      awaitSent("old 1", "old 2", "old 3");

      producer().errorNext(new TimeoutException("no answer"));
      producer().completeNext();
      awaitSent("old 1", "old 2", "old 3", "old 2", "old 3");
      TimeUnit.MILLISECONDS.sleep(50);
      assertThat(sent()).as("only the unacknowledged ones, again").doesNotContain("new 1");

      while (producer().completeNext()) {
        // Every sent record arrives.
      }
      awaitSent("old 1", "old 2", "old 3", "old 2", "old 3", "new 1");
      producer().completeNext();
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(producers).as("a timeout is no reason for another producer").hasSize(1);
    }
  }

  @Test
  void pace_noWayBack_isFixedUnlessTheServiceChoosesIt() {
    try (KafkaSink sink = sink()) {
      assertThat(sink.pace(Pace.of(Duration.ofMillis(20), false)))
          .isEqualTo(Pace.of(Duration.ofMillis(200), false));
      Pace chosen = Pace.of(Duration.ofMillis(20), true);
      assertThat(sink.pace(chosen)).isEqualTo(chosen);
    }
  }

  @Test
  void deliver_credentialsRefused_nextAttemptHasAnotherProducer() {
    try (KafkaSink sink = sink()) {
      sink.accept(block("i", 1));
      awaitSent("i 1");
      producer().errorNext(new SaslAuthenticationException("no"));
      await().atMost(PATIENCE).until(() -> producers.size() == 2);
      assertThat(producers.get(0).closed()).isTrue();
      awaitSent("i 1");
      producer().completeNext();
      assertThat(sink.flush(PATIENCE)).isTrue();
    }
    assertThat(producers.get(1).closed()).isTrue();
  }

  @Test
  @Timeout(60)
  void close_producerThatNeverCloses_isLeftBehind() {
    CountDownLatch never = new CountDownLatch(1);
    KafkaTransport transport =
        new KafkaTransport(
            () ->
                new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer()) {
                  @Override
                  public void close(Duration timeout) {
                    try {
                      never.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  }
                },
            "nowhere:1",
            "events");
    transport.close();

    assertThat(never.getCount()).as("returned although it goes on closing").isEqualTo(1);
    never.countDown();
  }

  private KafkaSink sink() {
    KafkaTransport transport =
        new KafkaTransport(
            () -> {
              MockProducer<String, byte[]> producer =
                  new MockProducer<>(
                      false, null, new StringSerializer(), new ByteArraySerializer());
              producers.add(producer);
              return producer;
            },
            "nowhere:1",
            "events");
    return new KafkaSink(
        KafkaSink.builder("nowhere:1")
            .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
            .closeTimeout(Duration.ofMillis(100)),
        transport);
  }

  private MockProducer<String, byte[]> producer() {
    return producers.get(producers.size() - 1);
  }

  private List<String> sent() {
    return producer().history().stream().map(KafkaTransportTest::name).toList();
  }

  private void awaitSent(String... names) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(sent()).containsExactly(names));
  }

  private static String name(ProducerRecord<String, byte[]> record) {
    return text(record, "incarnation") + " " + text(record, "block");
  }

  private static String text(ProducerRecord<String, byte[]> record, String header) {
    return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
  }

  private static EventBlock block(String incarnation, long number) {
    long hlc = HlcTimestamp.pack(1_795_200_000_000_000L + number);
    Change change = new Change(Operation.SET, "r1", Value.of(number));
    return new EventBlockBuilder()
        .incarnation(incarnation, number)
        .add(new Event("zk1", "setd", hlc, new StateChange(List.of(change))))
        .promise(hlc, number)
        .build();
  }
}
