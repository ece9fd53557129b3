// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import javax.sound.midi.InvalidMidiDataException;
import javax.sound.midi.ShortMessage;

/** Constructors of MIDI messages. */
final class MidiMessages {
  private MidiMessages() {}

  /** A message and its time from the start. */
  record Timed(long micros, ShortMessage message) {}

  static ShortMessage program(int channel, int program) {
    return message(ShortMessage.PROGRAM_CHANGE, channel, program, 0);
  }

  static ShortMessage on(int channel, int key, int velocity) {
    return message(ShortMessage.NOTE_ON, channel, key, velocity);
  }

  static ShortMessage off(int channel, int key) {
    return message(ShortMessage.NOTE_OFF, channel, key, 0);
  }

  static ShortMessage control(int channel, int controller, int value) {
    return message(ShortMessage.CONTROL_CHANGE, channel, controller, value);
  }

  private static ShortMessage message(int command, int channel, int data1, int data2) {
    try {
      return new ShortMessage(command, channel, data1, data2);
    } catch (InvalidMidiDataException e) {
      throw new IllegalArgumentException(
          "outside MIDI's range: channel %d, data %d %d".formatted(channel, data1, data2), e);
    }
  }
}
