// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.api.LiveListeners.Listener;
import io.retroscope.server.api.LiveListeners.Other;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of which listeners nodes and other servers learn of. */
class LiveListenersTest {
  /** Otherwise two servers would keep each other's nodes sending for ever. */
  @Test
  void listenerAtAnotherServer_isForTheNodesHereOnly() {
    List<String> texts = new ArrayList<>();
    try (LiveListeners listeners = new LiveListeners()) {
      listeners.connected(texts::add);
      listeners.listenFor(Other.SERVER, true);
      listeners.listenFor(Other.SERVER, true);
      assertThat(texts).containsExactly("{\"listen\":false}", "{\"listen\":true,\"millis\":4}");
      assertThat(listeners.isAnyoneHere()).isFalse();

      Listener own = listeners.listen();
      assertThat(listeners.isAnyoneHere()).isTrue();
      own.close();
      listeners.listenFor(Other.ALERTS, true);
      assertThat(listeners.isAnyoneHere()).isTrue();
      listeners.listenFor(Other.SERVER, false);
      assertThat(listeners.isAnyoneHere()).isTrue();
      listeners.listenFor(Other.ALERTS, false);
      assertThat(listeners.isAnyoneHere()).isFalse();
      assertThat(texts).hasSize(3).endsWith("{\"listen\":false}");
    }
  }
}
