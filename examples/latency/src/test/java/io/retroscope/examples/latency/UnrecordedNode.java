package io.retroscope.examples.latency;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A node that does not record its messages, so that nothing bounds the clocks. */
public final class UnrecordedNode {
  private UnrecordedNode() {}

  /** Runs a node, as {@link LatencyNode#main}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    System.setProperty("retroscope.messages", "off");
    LatencyNode.run(args, Recorder.fromEnvironment());
  }
}
