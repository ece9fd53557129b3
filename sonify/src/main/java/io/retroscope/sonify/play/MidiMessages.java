package io.retroscope.sonify.play;

import io.retroscope.sonify.score.Score;
import io.retroscope.sonify.score.ScoreNote;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.sound.midi.InvalidMidiDataException;
import javax.sound.midi.ShortMessage;

/** The conversion of a score to MIDI messages. */
final class MidiMessages {
  private MidiMessages() {}

  /** A message and its time from the start of the score. */
  record Timed(long micros, ShortMessage message) {}

  /**
   * The messages of a score by time; at equal times, ends precede starts, so that a repeated note
   * is played again.
   */
  static List<Timed> of(Score score) {
    List<Timed> messages = new ArrayList<>();
    Channels channels = new Channels();
    for (ScoreNote note : score.notes()) {
      Channels.Assignment assigned = channels.of(note.instrument());
      if (assigned.fresh()) {
        messages.add(
            new Timed(
                note.startMicros(), program(assigned.channel(), note.instrument().program())));
      }
      messages.add(
          new Timed(note.startMicros(), on(assigned.channel(), note.key(), note.velocity())));
      messages.add(new Timed(note.endMicros(), off(assigned.channel(), note.key())));
    }
    messages.sort(
        Comparator.comparingLong(Timed::micros)
            .thenComparing(timed -> timed.message().getCommand() != ShortMessage.NOTE_OFF));
    return messages;
  }

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
