// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.memory.MemoryBudget;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.junit.jupiter.api.Test;

/** Tests of the pace at which a node's connection is read. */
class NodeSocketFlowTest {
  private int demands;
  private int closes;
  private long nanos;

  @Test
  void messages_moreThanMayWait_areReadWhenOthersAreStored() {
    NodeSocket socket = socket();
    socket.onWebSocketOpen(session());
    for (int i = 0; i < NodeSocket.MAX_WAITING; i++) {
      assertThat(demands).isEqualTo(i + 1);
      socket.onWebSocketPartialBinary(ByteBuffer.wrap(new byte[] {1}), true, Callback.NOOP);
    }
    assertThat(demands).as("full").isEqualTo(NodeSocket.MAX_WAITING);

    assertThat(socket.next()).isNotNull();
    assertThat(demands).as("one was taken").isEqualTo(NodeSocket.MAX_WAITING + 1);
    assertThat(socket.next()).isNotNull();
    assertThat(demands).as("demanded once").isEqualTo(NodeSocket.MAX_WAITING + 1);
  }

  @Test
  void message_slowerThanTheMinimum_closesTheConnection() {
    NodeSocket socket = socket();
    socket.onWebSocketOpen(session());
    socket.onWebSocketPartialBinary(ByteBuffer.wrap(new byte[] {1}), false, Callback.NOOP);
    nanos = TimeUnit.SECONDS.toNanos(9);
    socket.onWebSocketPartialBinary(ByteBuffer.wrap(new byte[] {1}), false, Callback.NOOP);
    assertThat(closes).as("within the grace").isZero();
    assertThat(demands).isEqualTo(3);

    nanos = TimeUnit.SECONDS.toNanos(11);
    socket.onWebSocketPartialBinary(ByteBuffer.wrap(new byte[] {1}), false, Callback.NOOP);
    assertThat(closes).isEqualTo(1);
    assertThat(demands).isEqualTo(3);
  }

  private NodeSocket socket() {
    AccessControl access = new AccessControl(AccessOptions.DEFAULT, "127.0.0.1", () -> 0);
    Route route = new Route.Get("/v1/events/socket", Access.WRITE, context -> {});
    return new NodeSocket(
        new Admission(access, Optional.empty(), route, access.caller(Optional.empty())),
        new IdleListener(),
        new MemoryBudget(1 << 20),
        () -> nanos,
        1_000);
  }

  private Session session() {
    return (Session)
        Proxy.newProxyInstance(
            Session.class.getClassLoader(),
            new Class<?>[] {Session.class},
            (proxy, method, arguments) -> {
              demands += method.getName().equals("demand") ? 1 : 0;
              closes += method.getName().equals("close") ? 1 : 0;
              return method.getReturnType() == boolean.class ? true : null;
            });
  }

  /** Stores nothing, like workers that are all busy. */
  private static final class IdleListener implements NodeSocket.Listener {
    @Override
    public boolean opened(NodeSocket socket) {
      return true;
    }

    @Override
    public void waiting(NodeSocket socket) {}

    @Override
    public void closed(NodeSocket socket) {}
  }
}
