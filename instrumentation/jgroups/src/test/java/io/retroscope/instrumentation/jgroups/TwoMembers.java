// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jgroups;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;

/**
 * A cluster of two members from XML, one of which sends a message to all. It returns the size of
 * the cluster, the message that the other received, and the class of the protocol.
 */
public final class TwoMembers implements Callable<List<Object>> {
  private static final String XML =
      """
      <config xmlns="urn:org:jgroups">
        <SHARED_LOOPBACK/>
        <io.retroscope.instrumentation.jgroups.HlcProtocol/>
        <SHARED_LOOPBACK_PING/>
        <pbcast.NAKACK2 use_mcast_xmit="false"/>
        <UNICAST3/>
        <pbcast.STABLE/>
        <pbcast.GMS print_local_addr="false" join_timeout="1s"/>
      </config>
      """;

  private static final int PATIENCE_SECONDS = 60;

  @Override
  public List<Object> call() throws Exception {
    BlockingQueue<String> received = new ArrayBlockingQueue<>(1);
    try (JChannel a = new JChannel(xml());
        JChannel b = new JChannel(xml())) {
      b.setReceiver(
          new Receiver() {
            @Override
            public void receive(Message message) {
              received.add(message.getObject());
            }
          });
      a.connect("traced");
      b.connect("traced");
      a.send(null, "order 1");
      return List.of(
          a.getView().size(),
          String.valueOf(received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)),
          a.getProtocolStack().getProtocols().stream()
              .map(Object::getClass)
              .filter(type -> type.getSimpleName().equals("HlcProtocol"))
              .findFirst()
              .orElseThrow());
    }
  }

  private static ByteArrayInputStream xml() {
    return new ByteArrayInputStream(XML.getBytes(StandardCharsets.UTF_8));
  }
}
