// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.Recorder;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FragHeader;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ByteArray;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Util;
import org.junit.jupiter.api.Test;

class HlcProtocolTest extends CarrierContract {
  private final List<Message> sent = new ArrayList<>();
  private final List<Message> delivered = new ArrayList<>();

  @Override
  protected void carry() throws Exception {
    protocol(sender).down(message());
    deliver(sent.remove(0));
  }

  @Override
  protected void carryUntraced() throws Exception {
    deliver(message());
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    // Any eight bytes are a stamp, so that only another protocol's header cannot be read as one.
    Message message = message();
    message.putHeader(HlcProtocol.ID, new FragHeader(stamp.length(), 0, 1));
    deliver(message);
  }

  @Test
  void batch_ofMessages_isReceivedBeforeItIsDelivered() throws Exception {
    HlcProtocol source = protocol(sender);
    source.down(message());
    source.down(message());
    MessageBatch batch = new MessageBatch(2);
    for (Message message : sent) {
      batch.add(transported(message));
    }
    protocol(receiver).up(batch);

    assertThat(delivered).hasSize(2);
    assertThat(receivedEvents(EventBody.Receive.class)).hasSize(2);
  }

  @Test
  void message_transmittedAgain_hasOneNewStampOfTheSameSize() throws Exception {
    HlcProtocol source = protocol(sender);
    Message message = message();
    source.down(message);
    int size = message.size();
    source.down(message);

    assertThat(message.size()).isEqualTo(size);
    assertThat(message.getNumHeaders()).isEqualTo(1);
    deliver(message);
    assertThat(only(receivedEvents(EventBody.Receive.class)).hlc())
        .isGreaterThan(sentEvents(EventBody.Send.class).get(1).hlc());
  }

  @Test
  void numbers_areThoseOfOthersProtocols() {
    assertThat(ClassConfigurator.getProtocol(HlcProtocol.ID)).isEqualTo(HlcProtocol.class);
    assertThat(new HlcHeader().getMagicId()).isEqualTo(HlcProtocol.ID);
  }

  @Test
  void stackOfXml_withTheProtocol_formsACluster() throws Exception {
    assertThat(new TwoMembers().call()).containsExactly(2, "order 1", HlcProtocol.class);
  }

  /** A container has JGroups in one class loader and the protocol in another one, below it. */
  @Test
  void stackOfXml_protocolInAModuleOfItsOwn_formsACluster() throws Exception {
    // Not closed: when the process ends, the recorder in them still needs its classes.
    ClassLoader jgroups =
        new URLClassLoader(
            new URL[] {place(JChannel.class), place(Recorder.class)},
            ClassLoader.getPlatformClassLoader());
    ClassLoader module =
        new URLClassLoader(new URL[] {place(HlcProtocol.class), place(TwoMembers.class)}, jgroups);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(module);
    try {
      Callable<?> members =
          (Callable<?>) module.loadClass(TwoMembers.class.getName()).getConstructor().newInstance();
      Class<?> protocol = module.loadClass(HlcProtocol.class.getName());
      assertThat(protocol).isNotEqualTo(HlcProtocol.class);
      assertThat((List<?>) members.call())
          .asInstanceOf(InstanceOfAssertFactories.list(Object.class))
          .containsExactly(2, "order 1", protocol);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static URL place(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private HlcProtocol protocol(Recorder recorder) throws Exception {
    HlcProtocol protocol = new HlcProtocol(recorder);
    protocol.setDownProtocol(
        new Protocol() {
          @Override
          public Object down(Message message) {
            sent.add(message);
            return "";
          }
        });
    protocol.setUpProtocol(
        new Protocol() {
          @Override
          public Object up(Message message) {
            delivered.add(message);
            arrived();
            return "";
          }

          @Override
          public void up(MessageBatch batch) {
            batch.forEach(delivered::add);
          }
        });
    protocol.init();
    return protocol;
  }

  private void deliver(Message message) throws Exception {
    protocol(receiver).up(transported(message));
  }

  /** The message as another process reads it. */
  private static Message transported(Message message) throws Exception {
    ByteArray bytes = Util.messageToByteBuffer(message);
    return Util.messageFromByteBuffer(bytes.getArray(), bytes.getOffset(), bytes.getLength());
  }

  private static Message message() {
    return new ObjectMessage(null, "order 1");
  }
}
