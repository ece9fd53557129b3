// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** Nodes whose hooks are wrong, so that an oracle must fail. */
public final class BrokenNodes {
  private BrokenNodes() {}

  /** Does not record its messages, so that nothing bounds the clocks. */
  public static final class Unrecorded {
    private Unrecorded() {}

    /** Runs a node, as {@link LatencyNode#main}. */
    public static void main(String[] args) throws IOException, InterruptedException {
      System.setProperty("retroscope.messages", "off");
      Recorder recorder = Recorder.fromEnvironment();
      LatencyNode.run(args, recorder, new Stamps(recorder));
    }
  }

  /** Carries no stamps from frames to its own clock. */
  public static final class Unstamped {
    private Unstamped() {}

    /** Runs a node, as {@link LatencyNode#main}. */
    public static void main(String[] args) throws IOException, InterruptedException {
      Recorder recorder = Recorder.fromEnvironment();
      LatencyNode.run(
          args,
          recorder,
          new Stamps(recorder) {
            @Override
            void received(String peer, long stamp) {}
          });
    }
  }
}
