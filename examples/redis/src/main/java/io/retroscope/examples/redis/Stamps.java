// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.recorder.Recorder;
import java.util.HexFormat;

/**
 * The clock of a worker in texts that Redis keeps beside the lock: sixteen hexadecimal digits,
 * which sort as the stamps do, and the node. Used by one thread.
 */
class Stamps {
  private static final int DIGITS = 16;

  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Records that a stamp is sent. */
  String sent() {
    return HexFormat.of().toHexDigits(recorder.send("")) + " " + recorder.node();
  }

  /** Records that the stamp is received that Redis kept; another worker's, or empty for none. */
  void received(String text) {
    if (text.length() > DIGITS) {
      String from = text.substring(DIGITS + 1);
      if (!from.equals(recorder.node())) {
        recorder.receive(from, HexFormat.fromHexDigitsToLong(text.substring(0, DIGITS)));
      }
    }
  }
}
