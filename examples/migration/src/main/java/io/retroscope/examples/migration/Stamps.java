// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.recorder.Recorder;
import java.util.HexFormat;

/** The clock of a region in front of the lines that it sends. Thread-safe. */
class Stamps {
  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  String sent(String text) {
    return HexFormat.of().toHexDigits(recorder.send("")) + " " + recorder.node() + " " + text;
  }

  String received(String line) {
    String[] parts = line.split(" ", 3);
    receive(parts[1], HexFormat.fromHexDigitsToLong(parts[0]));
    return parts[2];
  }

  void receive(String from, long stamp) {
    recorder.receive(from, stamp);
  }
}
