// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PeerTest {
  @Test
  void isWithin_aroundTheEndOfTheRing_isTrueOnBothSides() {
    Peer low = new Peer("n1", 1);
    Peer high = new Peer("n4", 2);
    if (low.place() > high.place()) {
      Peer other = low;
      low = high;
      high = other;
    }
    assertThat(Peer.isWithin(high.place() + 1, high, low)).isTrue();
    assertThat(Peer.isWithin(low.place() - 1, high, low)).isTrue();
    assertThat(Peer.isWithin(low.place(), high, low)).isTrue();
    assertThat(Peer.isWithin(high.place(), high, low)).isFalse();
    assertThat(Peer.isWithin(low.place() + 1, high, low)).isFalse();
    assertThat(Peer.isWithin(low.place() + 1, low, high)).isTrue();
  }

  @Test
  void parse_itsOwnText_isEqual() {
    Peer peer = new Peer("n3", 4_711);
    assertThat(Peer.parse(peer.toString())).isEqualTo(peer);
  }
}
