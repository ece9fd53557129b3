package io.retroscope.instrumentation.kafka;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.contract.EventSinkContract;
import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a real broker on loopback ports, and a topic for each test. */
class KafkaSinkContractTest extends EventSinkContract {
  private static final AtomicInteger TOPICS = new AtomicInteger();

  @TempDir static Path folder;
  private static KafkaBroker broker;

  private final String topic = "events-" + TOPICS.incrementAndGet();

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(folder);
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Override
  protected EventSink open() {
    return KafkaSink.builder(broker.address()).topic(topic).build();
  }

  @Override
  protected List<EventBlock> delivered() throws Exception {
    List<EventBlock> blocks = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : KafkaSinkTest.readAll(broker, topic)) {
      blocks.add((EventBlock) KafkaSinkTest.frame(record));
    }
    return blocks;
  }
}
