// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A zone whose nodes ignore the stamps of messages, so that an oracle must fail. */
public final class UnstampedNode {
  private UnstampedNode() {}

  /** Runs a zone, as {@link PaxosNode#main}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    PaxosNode.run(args, UnstampedNode::deaf);
  }

  private static Stamps deaf(Recorder recorder) {
    return new Stamps(recorder) {
      @Override
      void received(String from, String stamp) {
        // Ignored.
      }
    };
  }
}
