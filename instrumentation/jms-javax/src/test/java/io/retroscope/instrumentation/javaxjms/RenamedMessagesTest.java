// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.javaxjms;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.contract.CarrierContract;
import io.retroscope.recorder.Recorder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Message;
import javax.jms.MessageListener;
import javax.jms.Queue;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The class of the jar with a broker whose client has {@code javax.jms}. */
class RenamedMessagesTest extends CarrierContract {
  private static final long TIMEOUT_MILLIS = 20_000;

  private URLClassLoader jar;
  private Class<?> type;
  private ActiveMQServer broker;
  private ActiveMQConnectionFactory connections;
  private JMSContext session;
  private Queue queue;

  @BeforeEach
  void start() throws Exception {
    URL[] urls = {Path.of(System.getProperty("messages.jar")).toUri().toURL()};
    jar = new URLClassLoader(urls, RenamedMessagesTest.class.getClassLoader());
    type = jar.loadClass("io.retroscope.instrumentation.javaxjms.HlcMessages");
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
    session = connections.createContext();
    queue = session.createTemporaryQueue();
  }

  @AfterEach
  void stop() throws Exception {
    session.close();
    connections.close();
    broker.stop();
    jar.close();
  }

  private Object messages(Recorder recorder) throws ReflectiveOperationException {
    return type.getConstructor(Recorder.class).newInstance(recorder);
  }

  private Message traced() throws ReflectiveOperationException {
    Object sent =
        type.getMethod("sent", Message.class)
            .invoke(messages(sender), session.createTextMessage("transfer"));
    return (Message) sent;
  }

  /** Sends a message, and returns when the receiver's listener has processed it. */
  private void deliver(Message message) throws Exception {
    CountDownLatch processed = new CountDownLatch(1);
    MessageListener listener =
        received -> {
          arrived();
          processed.countDown();
        };
    Object receiving =
        type.getMethod("receiving", MessageListener.class).invoke(messages(receiver), listener);
    try (JMSConsumer consumer = session.createConsumer(queue)) {
      consumer.setMessageListener((MessageListener) receiving);
      session.createProducer().send(queue, message);
      assertThat(processed.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    }
  }

  @Override
  protected void carry() throws Exception {
    deliver(traced());
  }

  @Override
  protected void carryUntraced() throws Exception {
    deliver(session.createTextMessage("transfer"));
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    Message message = session.createTextMessage("transfer");
    message.setStringProperty("x_hlc", stamp);
    deliver(message);
  }

  @Test
  void receive_thatTimedOut_returnsNull() throws Exception {
    try (JMSConsumer consumer = session.createConsumer(queue)) {
      Message none = consumer.receiveNoWait();
      assertThat(type.getMethod("received", Message.class).invoke(messages(receiver), none))
          .isNull();
    }
  }
}
