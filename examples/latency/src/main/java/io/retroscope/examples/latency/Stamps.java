// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.recorder.Recorder;

/** The clock of a node in its frames. Thread-safe. */
class Stamps {
  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Records that a frame is sent, and returns its stamp. */
  long sent(String peer) {
    return recorder.send(peer);
  }

  /** Records that a frame with this stamp is received. */
  void received(String peer, long stamp) {
    recorder.receive(peer, stamp);
  }
}
