// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.recorder.Recorder;
import java.util.function.BiConsumer;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.Message.Flag;
import org.jgroups.ObjectMessage;
import org.jgroups.Receiver;

/**
 * The JGroups cluster of replicas and clients. Its protocol SEQUENCER sends multicasts to one
 * member, which gives them one order; a flag exempts a message. Thread-safe.
 */
final class Group implements AutoCloseable {
  /** The stack of protocols, with the one that carries the clock. */
  static final String STACK = "io/retroscope/examples/ordering/traced-sequencer.xml";

  private static final int POLL_MILLIS = 20;

  private final JChannel channel;

  private Group(JChannel channel) {
    this.channel = channel;
  }

  /**
   * Joins the cluster.
   *
   * @param receiver receives the messages with their senders, those of one sender in its order
   */
  static Group join(Recorder recorder, String stack, BiConsumer<Address, Message> receiver)
      throws Exception {
    JChannel channel = new JChannel(stack).name(recorder.node());
    channel.setReceiver(
        new Receiver() {
          @Override
          public void receive(org.jgroups.Message message) {
            receiver.accept(message.getSrc(), message.getObject());
          }
        });
    channel.connect("ordering");
    return new Group(channel);
  }

  /** Sends to all members, in the order of the sequencer. */
  void multicastInOrder(Message message) {
    send(new ObjectMessage(null, message));
  }

  /** Sends to all members, past the sequencer. */
  void multicast(Message message) {
    send(new ObjectMessage(null, message).setFlag(Flag.NO_TOTAL_ORDER));
  }

  /**
   * Waits until this member's view of the cluster has a number of members: a message that is sent
   * earlier is not for those that join later.
   */
  void awaitMembers(int count) throws InterruptedException {
    while (channel.getView().size() < count) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  void send(Address to, Message message) {
    send(new ObjectMessage(to, message));
  }

  private void send(org.jgroups.Message message) {
    try {
      channel.send(message);
    } catch (Exception e) {
      throw new IllegalStateException("cannot send to the cluster", e);
    }
  }

  @Override
  public void close() {
    channel.close();
  }
}
