// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.BlockZone.LogZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import io.retroscope.server.store.zone.ZoneNames;
import java.util.List;
import org.junit.jupiter.api.Test;

class ZoneNamesTest {
  private final ZoneNames names = new ZoneNames();

  @Test
  void shared_ofZonesWithTheSameNames_holdsEachNameOnce() {
    NodeZone first = names.shared(zone(1, "a")).nodes().get(0);
    BlockZone second = names.shared(zone(2, "a"));
    NodeZone node = second.nodes().get(0);
    assertThat(second).isEqualTo(zone(2, "a"));
    assertThat(node.node()).isSameAs(first.node());
    assertThat(node.logs().get(0).log()).isSameAs(first.logs().get(0).log());
    assertThat(node.logs().get(0).variables()).isSameAs(first.logs().get(0).variables());
    assertThat(node.logs().get(0).written()).isSameAs(first.logs().get(0).written());
  }

  @Test
  void shared_ofEverNewNames_dropsOldOnes() {
    String first = names.shared(zone(1, "a")).nodes().get(0).node();
    for (int i = 0; i < 120_000; i++) {
      names.shared(zone(2, "node" + i));
    }
    assertThat(names.shared(zone(3, "a")).nodes().get(0).node()).isNotSameAs(first);
  }

  /** Every text is an object of its own, as after decoding. */
  private static BlockZone zone(long id, String node) {
    LogZone log = new LogZone(own("l"), 1, List.of(own("x"), own("y")), List.of(own("x")));
    return new BlockZone(
        id, 1, 2, List.of(new NodeZone(own(node), 1, 1, 2, false, false, List.of(log))));
  }

  @SuppressWarnings("StringOperationCanBeSimplified")
  private static String own(String text) {
    return new String(text);
  }
}
