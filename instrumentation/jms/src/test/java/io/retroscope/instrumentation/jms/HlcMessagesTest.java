// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests with an ActiveMQ Artemis broker in this process. */
class HlcMessagesTest extends CarrierContract {
  private static final long TIMEOUT_MILLIS = 20_000;

  private static ActiveMQServer broker;
  private static ActiveMQConnectionFactory connections;

  private final JMSContext session = connections.createContext();
  private final Queue queue = session.createTemporaryQueue();

  @BeforeAll
  static void start() throws Exception {
    Configuration configuration =
        new ConfigurationImpl()
            .setPersistenceEnabled(false)
            .setSecurityEnabled(false)
            .setJMXManagementEnabled(false);
    configuration.addAcceptorConfiguration(
        new TransportConfiguration(InVMAcceptorFactory.class.getName()));
    broker = ActiveMQServers.newActiveMQServer(configuration, false);
    broker.start();
    connections = new ActiveMQConnectionFactory("vm://0");
  }

  @AfterAll
  static void stop() throws Exception {
    connections.close();
    broker.stop();
  }

  @AfterEach
  void close() {
    session.close();
  }

  private Message message() {
    return session.createTextMessage("transfer");
  }

  private Message traced() {
    return new HlcMessages(sender).sent(message());
  }

  /** Sends a message, and returns when the receiver's listener has processed it. */
  private void deliver(Message message) throws InterruptedException {
    CountDownLatch processed = new CountDownLatch(1);
    try (JMSConsumer consumer = session.createConsumer(queue)) {
      consumer.setMessageListener(
          new HlcMessages(receiver)
              .receiving(
                  received -> {
                    arrived();
                    processed.countDown();
                  }));
      session.createProducer().send(queue, message);
      assertThat(processed.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    }
  }

  /** The message as a consumer that is not instrumented gets it. */
  private Message delivered(Message message) {
    session.createProducer().send(queue, message);
    try (JMSConsumer consumer = session.createConsumer(queue)) {
      return consumer.receive(TIMEOUT_MILLIS);
    }
  }

  @Override
  protected void carry() throws Exception {
    deliver(traced());
  }

  @Override
  protected void carryUntraced() throws Exception {
    deliver(message());
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    Message message = message();
    message.setStringProperty(HlcMessages.PROPERTY, stamp);
    deliver(message);
  }

  @Test
  void property_isNamedAsJmsAllows() {
    assertThat(HlcMessages.PROPERTY).matches("[A-Za-z_]\\w*");
  }

  @Test
  void receive_thatTimedOut_returnsNull() {
    try (JMSConsumer consumer = session.createConsumer(queue)) {
      assertThat(new HlcMessages(receiver).<Message>received(consumer.receiveNoWait())).isNull();
    }
  }

  /** A consumer reads a message's properties, and cannot write them. */
  @Test
  void message_thatIsForwarded_keepsItsFormerStamp() throws JMSException {
    Message received = delivered(traced());
    String former = received.getStringProperty(HlcMessages.PROPERTY);

    Message forwarded = delivered(new HlcMessages(sender).sent(received));

    assertThat(forwarded.getStringProperty(HlcMessages.PROPERTY)).isEqualTo(former);
    assertThat(sentEvents(EventBody.Send.class)).hasSize(2);
  }

  @Test
  void message_thatIsForwardedWithClearedProperties_carriesANewStamp() throws JMSException {
    Message received = delivered(traced());
    String former = received.getStringProperty(HlcMessages.PROPERTY);
    received.clearProperties();

    Message forwarded = delivered(new HlcMessages(sender).sent(received));

    assertThat(forwarded.getStringProperty(HlcMessages.PROPERTY)).isNotNull().isNotEqualTo(former);
  }

  @Test
  void stamp_ofAnUntrustedQueue_isOnlyCounted() {
    Message received = new HlcMessages(receiver, false).received(delivered(traced()));

    assertThat(received).isNotNull();
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
    assertThat(receiver.statistics().untrusted()).isEqualTo(1);
  }
}
