// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.EventLog;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A replica of WPaxos (Ailijiang et al., 2019): each object has a log of its own, and an owner that
 * commits with a quorum of its own zone. An owner that gets several requests in a row from another
 * zone invites that zone to take the object over, which needs a quorum in each zone. Failures of
 * replicas are not handled. Used by the thread of its lane.
 */
final class WpaxosReplica implements ReplicaProgram {
  /** The zones with replicas; the first nodes of each are members. */
  static final List<String> ZONES = List.of("z1", "z2", "z3");

  private static final int MEMBERS_PER_ZONE = 3;

  /** 1 at the owner of the shared object. */
  static final String OWNS = "owns";

  static final List<String> MEMBERS =
      ZONES.stream().flatMap(zone -> members(zone).stream()).toList();

  private final Lane lane;
  private final EventLog log;
  private final Map<String, ObjectLog> objects = new TreeMap<>();
  private int takenOver;
  private boolean ownsShared;

  WpaxosReplica(Lane lane) {
    this.lane = lane;
    this.log = lane.recorder().log("wpaxos");
    log.event().set(OWNS, false).set("ballot", 0).record();
  }

  static List<String> members(String zone) {
    return Layout.replicas(zone).subList(0, MEMBERS_PER_ZONE);
  }

  /** The members of the zone of a member. */
  static List<String> zoneOf(String member) {
    return ZONES.stream()
        .map(WpaxosReplica::members)
        .filter(zone -> zone.contains(member))
        .findFirst()
        .orElseThrow();
  }

  /** The client's request of a command on an object. */
  static Message request(String command, String object, String client) {
    return Message.of("w-request", command, object, client);
  }

  private ObjectLog object(String name) {
    return objects.computeIfAbsent(name, n -> new ObjectLog(n, lane, this::owns));
  }

  /** Records the owner of the shared object. */
  private void owns(ObjectLog object, boolean owns) {
    takenOver += owns ? 1 : 0;
    if (object.name().equals(Client.SHARED)) {
      ownsShared = owns;
      log.event().set(OWNS, owns).set("ballot", object.ballot()).record();
    }
  }

  @Override
  public void receive(String from, Message message) {
    if (message.kind().equals("w-request")) {
      object(message.word(1)).request(message.word(0), message.word(2));
    } else {
      object(message.word(0)).receive(from, message);
    }
  }

  @Override
  public void tick() {
    objects.values().forEach(ObjectLog::tick);
  }

  @Override
  public Map<String, Integer> counters() {
    return Map.of("takenOver", takenOver, OWNS, ownsShared ? 1 : 0);
  }

  @Override
  public Map<String, List<String>> chains() {
    Map<String, List<String>> chains = new TreeMap<>();
    objects.values().forEach(object -> chains.put("wpaxos/" + object.name(), object.commands()));
    return chains;
  }
}
