// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** Servers whose hooks are wrong, so that an oracle must fail. */
public final class BrokenServers {
  private BrokenServers() {}

  /** Records role and term apart. */
  public static final class Apart {
    private Apart() {}

    /** Runs a server, as {@link RaftNode#main}. */
    public static void main(String[] args) throws IOException, InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      RaftNode.run(
          args,
          recorder,
          new TracedStateMachine(recorder) {
            @Override
            void record(EventLog log, String role, long term) {
              log.set("role", role);
              log.set("term", term);
            }
          });
    }
  }

  /** Carries no stamps from entries to its own clock. */
  public static final class Unstamped {
    private Unstamped() {}

    /** Runs a server, as {@link RaftNode#main}. */
    public static void main(String[] args) throws IOException, InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      RaftNode.run(
          args,
          recorder,
          new TracedStateMachine(recorder) {
            @Override
            void receive(String leader, long stamp) {}
          });
    }
  }

  /** Does not record that it has stepped down. */
  public static final class Forgetful {
    private Forgetful() {}

    /** Runs a server, as {@link RaftNode#main}. */
    public static void main(String[] args) throws IOException, InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      RaftNode.run(
          args,
          recorder,
          new TracedStateMachine(recorder) {
            @Override
            void record(EventLog log, String role, long term) {
              if (role.equals("leader")) {
                super.record(log, role, term);
              }
            }
          });
    }
  }
}
