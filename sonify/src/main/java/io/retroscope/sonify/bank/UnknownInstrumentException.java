// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

/**
 * Thrown if a PLAY clause names an instrument that General MIDI does not have; the message lists
 * similar ones.
 */
public final class UnknownInstrumentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnknownInstrumentException(String message) {
    super(message);
  }
}
