package io.retroscope.examples.raft;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A server that records role and term apart, so that an oracle must fail. */
public final class ApartNode {
  private ApartNode() {}

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
