// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.GroupInfoReply;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.apache.ratis.util.TimeDuration;

/** Writes values, and asks the servers for their roles, without the recorder. Thread-safe. */
final class GroupClient implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int REQUEST_TIMEOUT_MILLIS = 1_000;
  private static final int RETRY_MILLIS = 100;
  private static final long TRANSFER_TIMEOUT_MILLIS = 3_000;

  private final RaftClient writer;
  private final RaftClient asker;

  GroupClient(String... ports) {
    this.writer =
        client(
            RetryPolicies.retryForeverWithSleep(
                TimeDuration.valueOf(RETRY_MILLIS, TimeUnit.MILLISECONDS)),
            ports);
    this.asker = client(RetryPolicies.noRetry(), ports);
  }

  private static RaftClient client(RetryPolicy retries, String... ports) {
    RaftProperties properties = new RaftProperties();
    RaftClientConfigKeys.Rpc.setRequestTimeout(
        properties, TimeDuration.valueOf(REQUEST_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
    return RaftClient.newBuilder()
        .setRaftGroup(Group.of(ports))
        .setProperties(properties)
        .setRetryPolicy(retries)
        .build();
  }

  /** Writes a value, and returns when the group has committed it. */
  void write(long value) throws IOException {
    if (!writer.io().send(Message.valueOf(Long.toString(value))).isSuccess()) {
      throw new IOException("the group did not accept the value " + value);
    }
  }

  /**
   * A server's role, as it says itself.
   *
   * @param sinceMicros no later than it took the role, by its own stopwatch: microseconds since
   *     1970 by the machine's clock
   * @param answeredMicros when the client had the answer
   */
  record Role(String member, RaftPeerRole role, long sinceMicros, long answeredMicros) {}

  /** The servers that say of themselves that they lead; those that do not answer are left out. */
  List<Role> leaders(Collection<String> asked) {
    return asked.stream()
        .flatMap(member -> role(member).stream())
        .filter(role -> role.role() == RaftPeerRole.LEADER)
        .toList();
  }

  /** Nothing if it does not answer. */
  private Optional<Role> role(String member) {
    long askedMicros = PhysicalClock.system().freshMicros();
    try {
      RoleInfoProto info = info(member).getRoleInfoProto();
      // The server counts whole milliseconds: the present one is added.
      long elapsedMicros = (info.getRoleElapsedTimeMs() + 1) * 1_000;
      return Optional.of(
          new Role(
              member,
              info.getRole(),
              askedMicros - elapsedMicros,
              PhysicalClock.system().freshMicros()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private GroupInfoReply info(String member) throws IOException {
    try {
      return asker.getGroupManagementApi(Group.peerId(member)).info(Group.ID);
    } catch (StatusRuntimeException e) {
      throw new IOException("%s does not answer: %s".formatted(member, e.getMessage()), e);
    }
  }

  /**
   * Makes each server the leader for a moment. Later elections then load no classes, which takes a
   * server 100 ms and more on a busy machine.
   */
  void leadInTurn() throws StageException, InterruptedException {
    List<String> turns = new ArrayList<>(Group.MEMBERS);
    turns.add(Group.MEMBERS.get(0)); // so that the last one steps down as well
    for (String member : turns) {
      if (!awaitOneLeader().equals(member)) {
        try {
          writer.admin().transferLeadership(Group.peerId(member), TRANSFER_TIMEOUT_MILLIS);
        } catch (IOException e) {
          // Another one leads: nothing depends on it but the time of a later election.
        }
      }
    }
    awaitOneLeader();
  }

  /** Waits until exactly one server leads, and the others follow. */
  String awaitOneLeader() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (true) {
      List<String> leaders = leaders(Group.MEMBERS).stream().map(Role::member).toList();
      if (leaders.size() == 1 && follow(leaders.get(0))) {
        return leaders.get(0);
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "the group has no single leader after %d s: %s"
                .formatted(Deadline.PATIENCE.toSeconds(), leaders));
      }
      Deadline.sleep(POLL);
    }
  }

  /** Waits until a server answers that it follows. */
  Role awaitFollower(String member) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (true) {
      Optional<Role> answer = role(member);
      if (answer.isPresent() && answer.get().role() == RaftPeerRole.FOLLOWER) {
        return answer.get();
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "%s does not follow within %d s".formatted(member, Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean follow(String leader) {
    for (String member : Group.MEMBERS) {
      try {
        if (!member.equals(leader)
            && !info(member)
                .getRoleInfoProto()
                .getFollowerInfo()
                .getLeaderInfo()
                .getId()
                .getId()
                .toStringUtf8()
                .equals(leader)) {
          return false;
        }
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  /** Waits until all servers have committed the same entries. */
  void awaitEqual() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!areEqual()) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "the servers have not the same entries after %d s"
                .formatted(Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean areEqual() {
    try {
      return info(Group.MEMBERS.get(0)).getCommitInfos().stream()
              .mapToLong(CommitInfoProto::getCommitIndex)
              .distinct()
              .count()
          == 1;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    for (RaftClient client : List.of(writer, asker)) {
      try {
        client.close();
      } catch (IOException e) {
        // The process ends with the run.
      }
    }
  }
}
