// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.bank.Patch;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.play.MidiMessages.Timed;
import io.retroscope.sonify.play.NoteChannels.Channel;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import javax.sound.midi.ShortMessage;

/**
 * Turns note events into MIDI messages, one by one: the same ones for a file, offline and live. Not
 * thread-safe.
 */
final class NoteMessages {
  private static final int VOLUME = 7;
  private static final int PAN = 10;
  private static final int EXPRESSION = 11;
  private static final int BRIGHTNESS = 74;
  private static final int FULL = 127;
  private static final int NEUTRAL = 64;
  private static final int PAN_CENTRE = 64;
  private static final int PAN_REACH = 63;

  private final PatchBank bank = PatchBank.standard();
  private final ToDoubleFunction<String> decibels;
  private final Consumer<Timed> out;
  private final NoteChannels channels = new NoteChannels();
  private final PriorityQueue<Sounding> sounding =
      new PriorityQueue<>(
          Comparator.comparingLong(Sounding::endMicros).thenComparingLong(Sounding::order));
  private long order;

  /** A note that has not been ended; {@code order} makes ends of one time definite. */
  private record Sounding(long endMicros, long order, Channel channel, int key) {}

  /**
   * Messages for a device whose sounds are as loud as ours.
   *
   * @param out takes the messages in order of time
   */
  NoteMessages(Consumer<Timed> out) {
    this(patch -> 0, out);
  }

  /**
   * Messages for a device.
   *
   * @param decibels by which a patch must be louder there
   * @param out takes the messages in order of time
   */
  NoteMessages(ToDoubleFunction<String> decibels, Consumer<Timed> out) {
    this.decibels = decibels;
    this.out = out;
  }

  /**
   * Takes the next event, which is not before the ones taken.
   *
   * @throws IllegalArgumentException if the bank does not have its patch
   */
  void add(NoteEvent note) {
    advance(note.micros());
    Patch patch =
        bank.patch(note.patch())
            .orElseThrow(() -> new IllegalArgumentException("no patch " + note.patch()));
    NoteChannels.Part part =
        new NoteChannels.Part(note.rule(), note.layer(), note.patch(), note.pan());
    NoteChannels.Assignment assigned = channels.of(part);
    Channel channel = assigned.channel();
    if (assigned.fresh()) {
      endAll(channel, note.micros());
      setUp(channel, note, patch);
    }
    if (note.kind() == NoteKind.BACKGROUND || note.kind() == NoteKind.FOLLOW) {
      control(channel, note, EXPRESSION, LayerVolume.expression(note.level(), note.velocity()));
      control(channel, note, BRIGHTNESS, LayerVolume.brightness(note.level()));
    }
    if (note.startsNote()) {
      begin(channel, note);
    }
  }

  private void setUp(Channel channel, NoteEvent note, Patch patch) {
    emit(note.micros(), MidiMessages.program(channel.number, patch.program()));
    control(
        channel,
        note,
        VOLUME,
        LayerVolume.volume(note.layer(), decibels.applyAsDouble(patch.name())));
    control(channel, note, PAN, (int) Math.round(PAN_CENTRE + PAN_REACH * note.pan()));
    control(channel, note, EXPRESSION, FULL);
    control(channel, note, BRIGHTNESS, NEUTRAL);
  }

  private void control(Channel channel, NoteEvent note, int controller, int value) {
    emit(note.micros(), MidiMessages.control(channel.number, controller, value));
  }

  private void begin(Channel channel, NoteEvent note) {
    // A key that is struck again must not be ended by its first stroke's end.
    endWhere(note.micros(), old -> old.channel == channel && old.key == note.key());
    emit(note.micros(), MidiMessages.on(channel.number, note.key(), note.velocity()));
    boolean endless = note.lengthMicros() == NoteEvent.UNTIL_THE_END;
    long end = endless ? NoteEvent.UNTIL_THE_END : note.micros() + note.lengthMicros();
    sounding.add(new Sounding(end, order++, channel, note.key()));
    channel.soundingCount++;
    channel.endless |= endless;
  }

  /** Ends the notes that are over at this time. */
  void advance(long micros) {
    while (!sounding.isEmpty() && sounding.peek().endMicros <= micros) {
      Sounding over = sounding.remove();
      end(over, over.endMicros);
    }
  }

  /** Ends all notes. */
  void end(long micros) {
    advance(micros);
    endWhere(micros, note -> true);
  }

  private void endAll(Channel channel, long micros) {
    endWhere(micros, old -> old.channel.number == channel.number && old.channel != channel);
  }

  private void endWhere(long micros, Predicate<Sounding> which) {
    List<Sounding> ended = new ArrayList<>();
    for (Sounding note : sounding) {
      if (which.test(note)) {
        ended.add(note);
      }
    }
    ended.sort(Comparator.comparingLong(Sounding::order));
    ended.forEach(
        note -> {
          sounding.remove(note);
          end(note, micros);
        });
  }

  private void end(Sounding note, long micros) {
    note.channel.soundingCount--;
    emit(micros, MidiMessages.off(note.channel.number, note.key));
  }

  private void emit(long micros, ShortMessage message) {
    out.accept(new Timed(micros, message));
  }
}
