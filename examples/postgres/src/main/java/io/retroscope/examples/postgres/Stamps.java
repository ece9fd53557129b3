// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.recorder.Recorder;
import java.util.HexFormat;

/**
 * The clock of a node as text in a row or in front of a message: the stamp of a send event as
 * sixteen hexadecimal digits, and the node. Used by one thread.
 */
class Stamps {
  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Records that a stamp is sent. */
  String sent() {
    return HexFormat.of().toHexDigits(recorder.send("")) + " " + recorder.node();
  }

  /** Records that a stamp is received; none if the text is empty. */
  void received(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length > 1) {
      recorder.receive(parts[1], HexFormat.fromHexDigitsToLong(parts[0]));
    }
  }
}
