// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jms;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import org.jspecify.annotations.Nullable;

/**
 * The clock in the property {@code x_hlc} of Jakarta Messaging messages. Thread-safe; a message is
 * used by one thread at a time. No method throws, and none waits.
 *
 * <pre>{@code
 * HlcMessages hlc = new HlcMessages(recorder);
 * producer.send(hlc.sent(message));
 * Message message = hlc.received(consumer.receive());
 * consumer.setMessageListener(hlc.receiving(listener));
 * }</pre>
 */
public final class HlcMessages {
  /** The property's name: JMS does not allow the hyphen of {@link HlcContext#HEADER}. */
  public static final String PROPERTY = "x_hlc";

  private final Recorder recorder;
  private final Ingress ingress;

  /** The clock of a recorder; stamps are followed, because a broker is inside the edge. */
  public HlcMessages(Recorder recorder) {
    this(recorder, true);
  }

  /** The clock of a recorder, which follows the stamps of received messages or not. */
  public HlcMessages(Recorder recorder, boolean trustRemote) {
    this.recorder = recorder;
    this.ingress = recorder.ingress(trustRemote);
  }

  /**
   * Records that a message is sent, and puts the stamp on it; call it immediately before {@code
   * send}. A received message cannot be written, so it travels with its former stamp unless its
   * properties are cleared first.
   *
   * @return the message
   */
  public <M extends Message> M sent(M message) {
    try {
      message.setStringProperty(PROPERTY, HlcTimestamp.text(recorder.send("")));
    } catch (JMSException e) {
      // The message is sent nevertheless; its send event has no counterpart.
    }
    return message;
  }

  /**
   * Records that a message is received if it carries a stamp; call it before acting on it.
   *
   * @param message null if {@code receive} timed out
   * @return the message
   */
  public <M extends @Nullable Message> M received(M message) {
    if (message != null) {
      try {
        HlcContext.parse(message.getStringProperty(PROPERTY)).ifPresent(ingress::receive);
      } catch (JMSException e) {
        // A property that cannot be read is treated as absent.
      }
    }
    return message;
  }

  /** A listener that receives each message before it passes it on. */
  public MessageListener receiving(MessageListener listener) {
    return message -> listener.onMessage(received(message));
  }
}
