// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A standby that ignores the stamps of frames, so that an oracle must fail. */
public final class UnstampedStandby {
  private UnstampedStandby() {}

  /** Runs a standby, as {@link StandbyNode#main}. */
  public static void main(String[] args) throws IOException {
    Recorder recorder = Recorder.fromEnvironment();
    Stamps deaf =
        new Stamps(recorder) {
          @Override
          Frame received(Frame frame) {
            return frame;
          }
        };
    new StandbyNode(recorder, deaf).run(Integer.parseInt(args[0]));
  }
}
