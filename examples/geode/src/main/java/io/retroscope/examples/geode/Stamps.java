// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.recorder.Recorder;
import java.util.HexFormat;

/**
 * The clock of a node in the values that it puts: the stamp of a send event as sixteen hexadecimal
 * digits, the node, and the text. Thread-safe.
 */
class Stamps {
  private static final int DIGITS = 16;

  private final Recorder recorder;

  Stamps(Recorder recorder) {
    this.recorder = recorder;
  }

  /** The value to put: the text with a new stamp. */
  String stamped(String text) {
    return HexFormat.of().toHexDigits(recorder.send("")) + " " + recorder.node() + " " + text;
  }

  /** Records that a value is received, unless this node put it. */
  void received(String value) {
    String from = value.split(" ", 3)[1];
    if (!from.equals(recorder.node())) {
      recorder.receive(from, HexFormat.fromHexDigitsToLong(value.substring(0, DIGITS)));
    }
  }

  /** The text of a value. */
  static String text(String value) {
    return value.split(" ", 3)[2];
  }
}
