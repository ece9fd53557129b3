// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A region that ignores the stamps of messages, so that an oracle must fail. */
public final class UnstampedRegion {
  private UnstampedRegion() {}

  /** Runs a region, as {@link RegionNode#main}. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    RegionNode.run(
        args,
        recorder,
        new Stamps(recorder) {
          @Override
          void receive(String from, long stamp) {
            // Ignored.
          }
        });
  }
}
