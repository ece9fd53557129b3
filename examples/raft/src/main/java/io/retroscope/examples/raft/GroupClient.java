package io.retroscope.examples.raft;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.GroupInfoReply;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.apache.ratis.util.TimeDuration;

/** Writes values, and asks the servers for their roles, without the recorder. Thread-safe. */
final class GroupClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int REQUEST_TIMEOUT_MILLIS = 1_000;
  private static final int RETRY_MILLIS = 100;

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

  /** The servers that say of themselves that they lead; those that do not answer are left out. */
  List<String> leaders(Collection<String> asked) {
    List<String> leaders = new ArrayList<>();
    for (String member : asked) {
      try {
        if (info(member).getRoleInfoProto().getRole() == RaftPeerRole.LEADER) {
          leaders.add(member);
        }
      } catch (IOException e) {
        // It does not answer yet: it is asked again.
      }
    }
    return leaders;
  }

  private GroupInfoReply info(String member) throws IOException {
    try {
      return asker.getGroupManagementApi(Group.peerId(member)).info(Group.ID);
    } catch (StatusRuntimeException e) {
      throw new IOException("%s does not answer: %s".formatted(member, e.getMessage()), e);
    }
  }

  /** Waits until exactly one server leads, and the others follow. */
  String awaitOneLeader() throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(PATIENCE);
    while (true) {
      List<String> leaders = leaders(Group.MEMBERS);
      if (leaders.size() == 1 && follow(leaders.get(0))) {
        return leaders.get(0);
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "the group has no single leader after %d s: %s"
                .formatted(PATIENCE.toSeconds(), leaders));
      }
      Deadline.sleep(POLL);
    }
  }

  /** Waits until a server answers that it follows. */
  void awaitFollower(String member) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(PATIENCE);
    while (!isFollower(member)) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "%s does not follow within %d s".formatted(member, PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean isFollower(String member) {
    try {
      return info(member).getRoleInfoProto().getRole() == RaftPeerRole.FOLLOWER;
    } catch (IOException e) {
      return false;
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
    Deadline deadline = Deadline.in(PATIENCE);
    while (!areEqual()) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "the servers have not the same entries after %d s".formatted(PATIENCE.toSeconds()));
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
