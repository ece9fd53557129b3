package io.retroscope.sonify.play;

import io.retroscope.rql.answer.Note;
import io.retroscope.sonify.score.Instrument;
import io.retroscope.sonify.score.ScoreComposer;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sound.midi.MidiDevice;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.MidiUnavailableException;
import javax.sound.midi.Receiver;
import javax.sound.midi.Sequencer;
import javax.sound.midi.Synthesizer;

/**
 * A player of notes in real time. Never blocks its caller: notes that cannot be played in time are
 * dropped and counted. Thread-safe.
 */
public final class LiveMidi implements AutoCloseable {
  /*
   * One thread owns the receiver, the channels and the active voices. It waits on the queue until a
   * note arrives or the next voice ends.
   */

  /** The maximum number of queued notes; further ones are dropped. */
  public static final int QUEUE_CAPACITY = 256;

  /** The lateness beyond which a note is dropped, because late sound is misleading. */
  public static final long MAX_LATENESS_NANOS = 200_000_000;

  private static final int MAX_VOICES = ScoreComposer.MAX_POLYPHONY;
  private static final long LONGEST_WAIT_NANOS = 100_000_000;
  private static final long JOIN_MILLIS = 2_000;

  private final Receiver receiver;
  private final Runnable closeDevice;
  private final LongSupplier nanoClock;
  private final BlockingQueue<Waiting> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final AtomicLong playedCount = new AtomicLong();
  private final AtomicLong droppedCount = new AtomicLong();
  private final Thread player;
  private volatile boolean closed;

  private final Channels channels = new Channels(); // owned by the player
  private final PriorityQueue<Voice> voices = // owned by the player
      new PriorityQueue<>(Comparator.comparingLong(Voice::endNanos));

  private record Waiting(Instrument instrument, Note note, long dueNanos) {}

  private record Voice(int channel, int key, long endNanos) {}

  LiveMidi(Receiver receiver, Runnable closeDevice, LongSupplier nanoClock) {
    this.receiver = receiver;
    this.closeDevice = closeDevice;
    this.nanoClock = nanoClock;
    this.player = new Thread(this::run, "retroscope-live-midi");
    player.setDaemon(true);
  }

  /**
   * Opens the machine's synthesizer, otherwise its first MIDI output.
   *
   * @param notice receives one sentence if the machine has neither
   * @return empty if the machine has neither
   */
  public static Optional<LiveMidi> open(Consumer<String> notice) {
    OfflineSynthesizer.quietPreferences();
    Optional<LiveMidi> live = openSynthesizer().or(LiveMidi::openExternal);
    live.ifPresentOrElse(
        LiveMidi::start,
        () -> notice.accept("no live sound: this machine has no audio line and no MIDI output"));
    return live;
  }

  private static Optional<LiveMidi> openSynthesizer() {
    try {
      return open(MidiSystem.getSynthesizer());
    } catch (MidiUnavailableException | RuntimeException e) {
      return Optional.empty(); // some sound systems throw unchecked exceptions
    }
  }

  private static Optional<LiveMidi> openExternal() {
    for (MidiDevice.Info info : MidiSystem.getMidiDeviceInfo()) {
      try {
        MidiDevice device = MidiSystem.getMidiDevice(info);
        boolean output = device.getMaxReceivers() != 0;
        if (output && !(device instanceof Synthesizer) && !(device instanceof Sequencer)) {
          return open(device);
        }
      } catch (MidiUnavailableException | RuntimeException e) {
        // The device is in use by another program: try the next one.
      }
    }
    return Optional.empty();
  }

  private static Optional<LiveMidi> open(MidiDevice device) throws MidiUnavailableException {
    device.open();
    return Optional.of(new LiveMidi(device.getReceiver(), device::close, System::nanoTime));
  }

  void start() {
    player.start();
  }

  /**
   * Plays a note now.
   *
   * @return false if it was dropped because the queue is full or this player is closed
   * @throws io.retroscope.sonify.score.UnknownInstrumentException if General MIDI does not have its
   *     instrument
   */
  public boolean play(Note note) {
    Waiting waiting = new Waiting(Instrument.named(note.instrument()), note, nanoClock.getAsLong());
    if (closed || !queue.offer(waiting)) {
      droppedCount.incrementAndGet();
      return false;
    }
    return true;
  }

  /** The number of notes played. */
  public long playedCount() {
    return playedCount.get();
  }

  /** The number of notes dropped because they arrived too fast or would have been too late. */
  public long droppedCount() {
    return droppedCount.get();
  }

  /** Silences everything and releases the device. */
  @Override
  public void close() {
    closed = true;
    player.interrupt();
    try {
      player.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeDevice.run();
  }

  private void run() {
    try {
      while (!closed) {
        Waiting next = queue.poll(nanosToNextEnd(), TimeUnit.NANOSECONDS);
        long now = nanoClock.getAsLong();
        endVoices(now);
        if (next != null) {
          begin(next, now);
        }
      }
    } catch (InterruptedException e) {
      // The player is closing: the voices and the thread end below.
    }
    endVoices(Long.MAX_VALUE);
  }

  private long nanosToNextEnd() {
    Voice first = voices.peek();
    long wait = first == null ? LONGEST_WAIT_NANOS : first.endNanos - nanoClock.getAsLong();
    return Math.min(wait, LONGEST_WAIT_NANOS);
  }

  private void begin(Waiting waiting, long now) {
    if (now - waiting.dueNanos > MAX_LATENESS_NANOS) {
      droppedCount.incrementAndGet();
      return;
    }
    Note note = waiting.note;
    Channels.Assignment assigned = channels.of(waiting.instrument);
    if (assigned.fresh()) {
      receiver.send(MidiMessages.program(assigned.channel(), waiting.instrument.program()), -1);
    }
    endSame(assigned.channel(), note.note());
    if (voices.size() == MAX_VOICES) {
      end(voices.remove());
    }
    receiver.send(MidiMessages.on(assigned.channel(), note.note(), note.velocity()), -1);
    long lengthMicros = Math.min(note.lengthMicros(), ScoreComposer.MAX_NOTE_MICROS);
    voices.add(new Voice(assigned.channel(), note.note(), now + lengthMicros * 1_000));
    playedCount.incrementAndGet();
  }

  private void endVoices(long now) {
    while (!voices.isEmpty() && voices.peek().endNanos <= now) {
      end(voices.remove());
    }
  }

  /** Ends an earlier note of the same key, whose end must not stop the new one. */
  private void endSame(int channel, int key) {
    for (Voice voice : voices) {
      if (voice.channel == channel && voice.key == key) {
        voices.remove(voice);
        end(voice);
        return;
      }
    }
  }

  private void end(Voice voice) {
    receiver.send(MidiMessages.off(voice.channel, voice.key), -1);
  }
}
