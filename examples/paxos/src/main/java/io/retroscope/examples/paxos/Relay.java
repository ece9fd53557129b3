// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The part of a replica that passes a leader's message on to its group, and answers for it: once,
 * when all have accepted or when they had time to. Used by the thread of its lane.
 */
final class Relay {
  private static final long PATIENCE_NANOS = 300_000_000;

  private final Lane lane;
  private final Map<String, Gathering> gatherings = new HashMap<>();
  private int count;

  private static final class Gathering {
    private final long ballot;
    private final int slot;
    private final int size;
    private final long endNanos = System.nanoTime() + PATIENCE_NANOS;
    private final Set<String> accepted = new TreeSet<>();

    Gathering(long ballot, int slot, int size) {
      this.ballot = ballot;
      this.slot = slot;
      this.size = size;
    }
  }

  Relay(Lane lane) {
    this.lane = lane;
  }

  /** How many messages it has relayed. */
  int count() {
    return count;
  }

  /** Passes a message on: ballot, slot, value, the last chosen slot, and the group. */
  void relay(Message message) {
    count++;
    List<String> group = message.names(4);
    Gathering gathering = new Gathering(message.ballot(0), message.number(1), group.size());
    Gathering repeated = gatherings.put(key(gathering.ballot, gathering.slot), gathering);
    if (repeated != null) {
      answer(repeated);
    }
    for (String member : group) {
      if (!member.equals(lane.name())) {
        lane.send(member, new Message("pass", message.words()));
      }
    }
  }

  private static String key(long ballot, int slot) {
    return ballot + " " + slot;
  }

  /** A member of the group, or this replica, has accepted. */
  void accepted(String replica, long ballot, int slot) {
    Gathering gathering = gatherings.get(key(ballot, slot));
    if (gathering == null) {
      return; // The answer is sent.
    }
    gathering.accepted.add(replica);
    if (gathering.accepted.size() == gathering.size) {
      gatherings.remove(key(ballot, slot));
      answer(gathering);
    }
  }

  private void answer(Gathering gathering) {
    lane.send(
        Ballot.leader(gathering.ballot),
        Message.of("gathered", gathering.ballot, gathering.slot, Message.join(gathering.accepted)));
  }

  void tick() {
    long now = System.nanoTime();
    for (Iterator<Gathering> all = gatherings.values().iterator(); all.hasNext(); ) {
      Gathering gathering = all.next();
      if (now > gathering.endNanos) {
        all.remove();
        answer(gathering);
      }
    }
  }
}
