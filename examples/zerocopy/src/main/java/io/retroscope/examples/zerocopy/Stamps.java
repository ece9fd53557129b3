// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.recorder.Recorder;

/** The clock of a node in the frames that it sends and receives. Thread-safe. */
class Stamps {
  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  Frame frame(long offset, int length) {
    return new Frame(recorder.send(""), recorder.node(), offset, length);
  }

  Frame received(Frame frame) {
    recorder.receive(frame.node(), frame.stamp());
    return frame;
  }
}
