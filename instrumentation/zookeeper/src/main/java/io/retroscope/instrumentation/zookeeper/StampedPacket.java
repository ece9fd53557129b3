// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.jspecify.annotations.Nullable;

/**
 * A private copy of a message between servers that carries a stamp.
 *
 * <pre>
 *   authinfo of the packet: [..., ("hlc", &lt;stamp&gt;)]     the list was there
 *                                ("hlc0", &lt;stamp&gt;)     there was no list
 * </pre>
 *
 * <p>Servers without the agent do not know these schemes and ignore the entry.
 */
final class StampedPacket extends QuorumPacket {
  /*
   * The packet itself must not be modified: the leader queues one object for all followers, whose
   * threads serialize it concurrently, and some of the lists are unmodifiable.
   *
   * The class also identifies the copy, so that writing it is not intercepted again.
   */
  private static final String SCHEME = "hlc";
  private static final String SCHEME_WITHOUT_LIST = "hlc0";

  StampedPacket(QuorumPacket packet, Stamp stamp) {
    super(packet.getType(), packet.getZxid(), packet.getData(), withStamp(packet, stamp));
  }

  private static List<Id> withStamp(QuorumPacket packet, Stamp stamp) {
    List<Id> original = packet.getAuthinfo();
    if (original == null) {
      return List.of(new Id(SCHEME_WITHOUT_LIST, stamp.text()));
    }
    List<Id> ids = new ArrayList<>(original.size() + 1);
    ids.addAll(original);
    ids.add(new Id(SCHEME, stamp.text()));
    return ids;
  }

  /**
   * Removes every stamp from a packet that was read, so that it equals the sender's original.
   *
   * @return the highest stamp, or null if there was no readable one
   */
  static @Nullable Stamp takeStamp(QuorumPacket packet) {
    List<Id> ids = packet.getAuthinfo();
    if (ids == null || !hasStamp(ids)) {
      return null;
    }
    if (ids.size() == 1 && SCHEME_WITHOUT_LIST.equals(ids.get(0).getScheme())) {
      packet.setAuthinfo(null); // nearly all packets
      return Stamp.parse(ids.get(0).getId());
    }
    List<Id> others = new ArrayList<>(ids.size());
    Stamp highest = null;
    boolean hadList = false;
    for (Id id : ids) {
      if (!isStamp(id)) {
        others.add(id);
        continue;
      }
      hadList |= SCHEME.equals(id.getScheme());
      Stamp stamp = Stamp.parse(id.getId());
      if (highest == null || (stamp != null && stamp.hlc() > highest.hlc())) {
        highest = stamp;
      }
    }
    packet.setAuthinfo(others.isEmpty() && !hadList ? null : others);
    return highest;
  }

  private static boolean hasStamp(List<Id> ids) {
    for (int i = 0; i < ids.size(); i++) {
      if (isStamp(ids.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isStamp(Id id) {
    String scheme = id.getScheme();
    return id.getId() != null && (SCHEME.equals(scheme) || SCHEME_WITHOUT_LIST.equals(scheme));
  }
}
