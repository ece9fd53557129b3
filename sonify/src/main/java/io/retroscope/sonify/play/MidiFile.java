// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.rql.print.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.sound.midi.InvalidMidiDataException;
import javax.sound.midi.MidiEvent;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.Sequence;
import javax.sound.midi.Track;

/** A writer of Standard MIDI Files, for any sequencer. Needs no MIDI device. */
final class MidiFile {
  /** At MIDI's default tempo of 120 quarter notes per minute, one tick is one millisecond. */
  private static final int TICKS_PER_QUARTER = 500;

  private static final int MICROS_PER_TICK = 1_000;
  private static final int ONE_TRACK = 0;

  private MidiFile() {}

  /**
   * Replaces {@code file} with these messages, which are ordered by time.
   *
   * @throws IOException if it cannot be written; no partial file remains
   */
  static void write(List<MidiMessages.Timed> messages, Path file) throws IOException {
    Sequence sequence = sequence(messages);
    OutputFile.replace(file, out -> MidiSystem.write(sequence, ONE_TRACK, out));
  }

  private static Sequence sequence(List<MidiMessages.Timed> messages) {
    try {
      Sequence sequence = new Sequence(Sequence.PPQ, TICKS_PER_QUARTER);
      Track track = sequence.createTrack();
      for (MidiMessages.Timed timed : messages) {
        track.add(new MidiEvent(timed.message(), timed.micros() / MICROS_PER_TICK));
      }
      return sequence;
    } catch (InvalidMidiDataException e) {
      throw new AssertionError("a sequence in quarter notes is always valid", e);
    }
  }
}
