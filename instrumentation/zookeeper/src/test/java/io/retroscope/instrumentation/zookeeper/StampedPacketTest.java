// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StampedPacketTest {
  private static final long HLC = HlcTimestamp.pack(1_795_200_000_000_000L, 3);
  private static final Stamp STAMP = new Stamp(HLC);
  private static final byte[] DATA = {1, 2, 3};
  private static final Id CLIENT = new Id("ip", "127.0.0.1");

  @Test
  void takeStamp_packetWithoutList_getsStampAndNullBack() throws IOException {
    QuorumPacket received = sent(new StampedPacket(packet(null), STAMP));

    assertThat(StampedPacket.takeStamp(received)).isEqualTo(STAMP);
    assertThat(received.getAuthinfo()).isNull();
    assertThat(received.getType()).isEqualTo(2);
    assertThat(received.getZxid()).isEqualTo(0x100000007L);
    assertThat(received.getData()).isEqualTo(DATA);
  }

  @Test
  void takeStamp_packetWithEmptyList_getsEmptyListBack() throws IOException {
    QuorumPacket received = sent(new StampedPacket(packet(List.of()), STAMP));

    assertThat(StampedPacket.takeStamp(received)).isEqualTo(STAMP);
    assertThat(received.getAuthinfo()).isEmpty();
  }

  @Test
  void takeStamp_packetWithIds_getsThemBack() throws IOException {
    QuorumPacket received = sent(new StampedPacket(packet(List.of(CLIENT)), STAMP));

    assertThat(StampedPacket.takeStamp(received)).isEqualTo(STAMP);
    assertThat(received.getAuthinfo()).containsExactly(CLIENT);
  }

  @Test
  void constructor_sharedPacket_leavesItAsItIs() {
    QuorumPacket shared = packet(List.of(CLIENT));
    QuorumPacket stamped = new StampedPacket(shared, STAMP);

    assertThat(stamped.getAuthinfo()).hasSize(2);
    assertThat(shared).isEqualTo(packet(List.of(CLIENT)));
  }

  @Test
  void takeStamp_severalStamps_removesAllAndGivesHighest() throws IOException {
    QuorumPacket twice =
        new StampedPacket(new StampedPacket(packet(null), new Stamp(HLC + 9)), STAMP);
    QuorumPacket received = sent(twice);

    assertThat(StampedPacket.takeStamp(received)).isEqualTo(new Stamp(HLC + 9));
    assertThat(received.getAuthinfo()).isNullOrEmpty();
  }

  @Test
  void takeStamp_earliestAndLatestStamp_roundTrip() throws IOException {
    for (long hlc : new long[] {HlcTimestamp.MIN_PACKED, 0, HlcTimestamp.MAX_PACKED}) {
      Stamp stamp = new Stamp(hlc);
      assertThat(StampedPacket.takeStamp(sent(new StampedPacket(packet(null), stamp))))
          .isEqualTo(stamp);
    }
  }

  @Test
  void takeStamp_recordedMessage_roundTripsItsIdentity() throws IOException {
    Stamp stamp = new Stamp(HLC, "zk/1.example", "5f2c.17");

    Stamp received = StampedPacket.takeStamp(sent(new StampedPacket(packet(null), stamp)));
    assertThat(received).isEqualTo(stamp);
    assertThat(received.isOfRecordedMessage()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "xyz", "123", "zzzzzzzzzzzzzzzz", "-000000000000001"})
  void takeStamp_garbage_isRemovedAndNoStamp(String garbage) {
    QuorumPacket packet = packet(List.of(CLIENT, new Id("hlc", garbage)));

    assertThat(StampedPacket.takeStamp(packet)).isNull();
    assertThat(packet.getAuthinfo()).containsExactly(CLIENT);
  }

  @Test
  void takeStamp_overlongText_isRemovedAndNoStamp() {
    String text = STAMP.text() + "/" + "x".repeat(Stamp.MAX_TEXT_LENGTH);
    QuorumPacket packet = packet(List.of(new Id("hlc0", text)));

    assertThat(StampedPacket.takeStamp(packet)).isNull();
    assertThat(packet.getAuthinfo()).isNull();
  }

  @Test
  void takeStamp_packetOfServerWithoutAgent_isUntouched() {
    QuorumPacket packet = packet(List.of(CLIENT));

    assertThat(StampedPacket.takeStamp(packet)).isNull();
    assertThat(packet).isEqualTo(packet(List.of(CLIENT)));
  }

  private static QuorumPacket packet(@Nullable List<Id> authinfo) {
    return new QuorumPacket(2, 0x100000007L, DATA, authinfo);
  }

  private static QuorumPacket sent(QuorumPacket packet) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    packet.serialize(BinaryOutputArchive.getArchive(bytes), "packet");
    QuorumPacket received = new QuorumPacket();
    received.deserialize(
        BinaryInputArchive.getArchive(new ByteArrayInputStream(bytes.toByteArray())), "packet");
    return received;
  }
}
