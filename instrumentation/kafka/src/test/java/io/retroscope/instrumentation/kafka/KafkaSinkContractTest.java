// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import io.retroscope.contract.EventSinkContract;
import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests with a real broker on loopback ports, and a topic for each test. */
class KafkaSinkContractTest extends EventSinkContract {
  private static final AtomicInteger TOPICS = new AtomicInteger();

  @RegisterExtension static final SharedBroker broker = new SharedBroker();

  private final String topic = "events-" + TOPICS.incrementAndGet();

  @Override
  protected EventSink open() {
    return KafkaSink.builder(broker.address()).topic(topic).build();
  }

  @Override
  protected List<EventBlock> delivered() throws Exception {
    List<EventBlock> blocks = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : KafkaSinkTest.readAll(broker.address(), topic)) {
      blocks.add((EventBlock) KafkaSinkTest.frame(record));
    }
    return blocks;
  }
}
