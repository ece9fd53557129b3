// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A node whose messages carry no stamps, so that an oracle must fail. */
public final class UnstampedNode {
  private UnstampedNode() {}

  /** Runs a node, as {@link ChordNode#main}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    ChordNode.run(args, recorder, new UnstampedWire(recorder, Integer.parseInt(args[0])));
  }

  private static final class UnstampedWire extends Wire {
    UnstampedWire(Recorder recorder, int port) throws IOException {
      super(recorder, port);
    }

    @Override
    String stamp() {
      return "";
    }

    @Override
    String withoutStamp(String line) {
      return line;
    }
  }
}
