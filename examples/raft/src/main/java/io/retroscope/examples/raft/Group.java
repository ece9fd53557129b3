// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/** The members of the Raft group. */
final class Group {
  static final List<String> MEMBERS = List.of("n1", "n2", "n3");

  static final RaftGroupId ID =
      RaftGroupId.valueOf(UUID.nameUUIDFromBytes("retroscope".getBytes(StandardCharsets.UTF_8)));

  private Group() {}

  /** The group whose members have these ports, in their order. */
  static RaftGroup of(String... ports) {
    List<RaftPeer> peers = new ArrayList<>();
    for (String member : MEMBERS) {
      peers.add(
          RaftPeer.newBuilder()
              .setId(peerId(member))
              .setAddress("127.0.0.1:" + port(ports, member))
              .build());
    }
    return RaftGroup.valueOf(ID, peers);
  }

  static RaftPeerId peerId(String member) {
    return RaftPeerId.valueOf(member);
  }

  static int port(String[] ports, String member) {
    return Integer.parseInt(ports[MEMBERS.indexOf(member)]);
  }
}
