// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jms;

import io.retroscope.recorder.Recorder;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import org.jspecify.annotations.Nullable;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static void send(MessageProducer producer, Message message, Recorder recorder)
      throws JMSException {
    HlcMessages hlc = new HlcMessages(recorder);

    producer.send(hlc.sent(message));
  }

  static @Nullable Message receive(HlcMessages hlc, MessageConsumer consumer) throws JMSException {
    Message message = hlc.received(consumer.receive());
    return message;
  }

  static void listen(HlcMessages hlc, MessageConsumer consumer, MessageListener listener)
      throws JMSException {
    consumer.setMessageListener(hlc.receiving(listener));
  }
}
