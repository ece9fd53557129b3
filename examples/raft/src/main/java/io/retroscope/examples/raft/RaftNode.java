// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.TimeDuration;

/** A server of the group. */
public final class RaftNode {
  /** Created when the server listens. */
  static final String READY_FILE = "ready";

  private static final int ELECTION_MILLIS_MIN = 1_500;
  private static final int ELECTION_MILLIS_MAX = 2_000;

  private RaftNode() {}

  /**
   * Runs a server until its process is ended.
   *
   * @param args the ports of the group's servers
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    run(args, recorder, new TracedStateMachine(recorder));
  }

  /** Runs a server with another state machine. */
  static void run(String[] args, Recorder recorder, BaseStateMachine machine)
      throws IOException, InterruptedException {
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(Group.peerId(recorder.node()))
            .setGroup(Group.of(args))
            .setStateMachine(machine)
            .setProperties(properties(Group.port(args, recorder.node())))
            .build();
    server.start();
    Files.createFile(Path.of(READY_FILE));
    new CountDownLatch(1).await();
  }

  private static RaftProperties properties(int port) {
    RaftProperties properties = new RaftProperties();
    GrpcConfigKeys.Server.setHost(properties, "127.0.0.1");
    GrpcConfigKeys.Server.setPort(properties, port);
    RaftServerConfigKeys.setStorageDir(
        properties, List.of(Path.of("storage").toAbsolutePath().toFile()));
    TimeDuration min = TimeDuration.valueOf(ELECTION_MILLIS_MIN, TimeUnit.MILLISECONDS);
    TimeDuration max = TimeDuration.valueOf(ELECTION_MILLIS_MAX, TimeUnit.MILLISECONDS);
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, min);
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, max);
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, min);
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, max);
    return properties;
  }
}
