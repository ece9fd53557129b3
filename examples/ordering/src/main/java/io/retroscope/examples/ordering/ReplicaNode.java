// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.Message.Ask;
import io.retroscope.examples.ordering.Message.Reply;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;

/** A replica as a process: it records its log's length and digest whenever they change. */
public final class ReplicaNode implements Replica.Surroundings {
  /** Created when the node has joined the cluster. */
  static final String JOINED_FILE = "joined";

  /** Created when the node knows of all others. */
  static final String READY_FILE = "ready";

  /** A node that finds this file writes what it has into {@link #ANSWER_FILE}, and removes it. */
  static final String ASK_FILE = "ask";

  /** What a replica has: see {@link ReplicaState}. */
  static final String ANSWER_FILE = "answer";

  private static final long SYNC_MILLIS = 50;

  private final EventLog trace;
  private final Replica replica;
  private final Group group;
  private final Map<String, Address> clients = new ConcurrentHashMap<>();

  /** The requests in the order of their first arrival. */
  private final List<String> arrivals = Collections.synchronizedList(new ArrayList<>());

  private int rolledBackCount;

  private ReplicaNode(Recorder recorder, String stack, int index, int replicas) throws Exception {
    this.trace = recorder.log("spec");
    this.replica = new Replica(index, new Quorums(replicas), this);
    this.group = Group.join(recorder, stack, this::receive);
  }

  /**
   * Runs a replica until its process is ended.
   *
   * @param args its index from 0, the number of replicas, that of all members, and the file with
   *     the stack of protocols
   */
  public static void main(String[] args) throws Exception {
    // Shared, because that is the recorder of HlcProtocol in the stack.
    Recorder recorder = Recorder.shared();
    ReplicaNode node =
        new ReplicaNode(recorder, args[3], Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    node.trace.event().set("view", 0).set("length", 0).set("digest", "").record();
    Files.createFile(Path.of(JOINED_FILE));
    node.group.awaitMembers(Integer.parseInt(args[2]));
    Files.createFile(Path.of(READY_FILE));
    while (true) {
      Thread.sleep(SYNC_MILLIS);
      node.replica.synchronize();
      if (Files.exists(Path.of(ASK_FILE))) {
        node.answer();
      }
    }
  }

  private void receive(Address from, Message message) {
    if (message instanceof Ask ask && clients.put(ask.request().id(), from) == null) {
      arrivals.add(ask.request().id());
    }
    replica.receive(message);
  }

  @Override
  public void multicast(Message message) {
    group.multicast(message);
  }

  @Override
  public void reply(Reply reply) {
    Address client = clients.get(reply.id());
    if (client != null) { // Otherwise its request has not arrived here, and another log has it.
      group.send(client, reply);
    }
  }

  @Override
  public void changed(int view, SpeculativeLog log, int rolledBack) {
    rolledBackCount += rolledBack;
    trace
        .event()
        .set("view", view)
        .set("length", log.length())
        .set("digest", log.digest())
        .set("committed", log.committed())
        .set("rolledBack", rolledBackCount)
        .record();
  }

  private void answer() throws IOException {
    ReplicaState state =
        replica.read(
            log ->
                new ReplicaState(
                    log.committed(),
                    rolledBackCount,
                    log.content().toString(),
                    log.after(0).stream().map(Request::id).toList(),
                    List.copyOf(arrivals)));
    Path part = state.write(Path.of(ANSWER_FILE + ".part"));
    Files.move(part, Path.of(ANSWER_FILE), StandardCopyOption.ATOMIC_MOVE);
    Files.delete(Path.of(ASK_FILE));
  }
}
