// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LayoutTest {
  @Test
  void groups_ofTheFanouts_haveEachOtherReplicaOnce() {
    for (Fanout fanout : Fanout.values()) {
      assertThat(fanout.groups("r05").stream().flatMap(group -> group.stream()))
          .containsExactlyInAnyOrderElementsOf(
              Layout.REPLICAS.stream().filter(replica -> !replica.equals("r05")).toList());
    }
    assertThat(Fanout.RELAYED.groups("r00")).hasSize(3);
    assertThat(Fanout.DIRECT.groups("r00")).hasSize(24);
  }

  @Test
  void members_ofEachProtocol_areInTheirZones() {
    assertThat(Layout.replicas("z0")).containsExactly("r00");
    assertThat(Layout.ZONES)
        .allSatisfy(
            zone -> assertThat(Layout.nodes(zone)).extracting(Layout::zoneOf).containsOnly(zone));
    assertThat(WpaxosReplica.MEMBERS)
        .containsExactly("r01", "r02", "r03", "r09", "r10", "r11", "r17", "r18", "r19");
    for (String zone : WpaxosReplica.ZONES) {
      assertThat(EpaxosReplica.MEMBERS).contains(Layout.replicas(zone).get(0));
    }
  }
}
