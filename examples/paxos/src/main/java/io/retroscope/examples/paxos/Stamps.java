// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.Recorder;
import java.util.HexFormat;

/** The clock of a node in front of the messages that it sends. Thread-safe. */
class Stamps {
  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  String sent() {
    return HexFormat.of().toHexDigits(recorder.send(""));
  }

  void received(String from, String stamp) {
    recorder.receive(from, HexFormat.fromHexDigitsToLong(stamp));
  }
}
