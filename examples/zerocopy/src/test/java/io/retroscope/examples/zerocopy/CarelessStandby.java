// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.recorder.Recorder;
import java.io.IOException;

/** A standby that appends what comes after a gap, so that an oracle must fail. */
public final class CarelessStandby {
  private CarelessStandby() {}

  /** Runs a standby, as {@link StandbyNode#main}. */
  public static void main(String[] args) throws IOException {
    Recorder recorder = Recorder.fromEnvironment();
    StandbyNode standby =
        new StandbyNode(recorder, new Stamps(recorder)) {
          @Override
          boolean follows(Frame frame, long end) {
            return true;
          }
        };
    standby.run(Integer.parseInt(args[0]));
  }
}
