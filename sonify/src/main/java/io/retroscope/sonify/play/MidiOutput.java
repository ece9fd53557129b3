// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.NoteEvent;
import java.util.function.LongSupplier;
import javax.sound.midi.MidiDevice;
import javax.sound.midi.MidiUnavailableException;
import javax.sound.midi.Receiver;

/** Notes as messages to a MIDI device, with the programs of General MIDI. Thread-safe. */
public final class MidiOutput implements LiveOutput {
  private static final long AT_ONCE = -1;

  private final NoteMessages messages;
  private final Receiver receiver;
  private final Runnable closeDevice;
  private final LongSupplier nanos;
  private final long startNanos;

  MidiOutput(Receiver receiver, Runnable closeDevice, LongSupplier nanos) {
    this.receiver = receiver;
    this.closeDevice = closeDevice;
    this.nanos = nanos;
    this.startNanos = nanos.getAsLong();
    this.messages = new NoteMessages(timed -> receiver.send(timed.message(), AT_ONCE));
  }

  /**
   * Opens a device.
   *
   * @param nanos a stopwatch
   * @throws MidiUnavailableException if another program has taken it
   */
  public static MidiOutput open(MidiDevice device, LongSupplier nanos)
      throws MidiUnavailableException {
    device.open();
    return new MidiOutput(device.getReceiver(), device::close, nanos);
  }

  @Override
  public synchronized void now(NoteEvent note) {
    messages.add(note.at(micros()));
  }

  @Override
  public synchronized void advance() {
    messages.advance(micros());
  }

  private long micros() {
    return (nanos.getAsLong() - startNanos) / 1_000;
  }

  @Override
  public synchronized void close() {
    messages.end(micros());
    receiver.close();
    closeDevice.run();
  }
}
