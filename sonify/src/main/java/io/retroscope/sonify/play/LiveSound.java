// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.MidiMessages.Timed;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A live player of note events, with the engine that also renders files. Never blocks its caller:
 * events that exceed the queue are dropped and counted. Thread-safe.
 */
public final class LiveSound implements LiveOutput {
  /*
   * One thread owns the engine, the messages and the sink, whose write() sets the pace. A step is
   * two milliseconds, so a note waits for at most one step, the limiter's look-ahead and what the
   * sink has buffered. A note whose time has passed sounds at once.
   */

  /** The largest number of queued events; further ones are dropped. */
  public static final int QUEUE_CAPACITY = 1_024;

  /** Frames per step: one step of the synthesizer. */
  static final int STEP_FRAMES = SoundEngine.RATE_HZ / SoundEngine.CONTROL_RATE_HZ;

  private static final long JOIN_MILLIS = 2_000;

  private final SoundEngine engine;
  private final NoteMessages messages;
  private final AudioSink sink;
  private final BlockingQueue<NoteEvent> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final AtomicLong droppedCount = new AtomicLong();
  private final AtomicLong frame = new AtomicLong();
  private final Thread player = new Thread(this::run, "retroscope-live-sound");
  private volatile boolean closed;
  private volatile boolean failed;

  /**
   * Opens live sound; {@link #start} begins it.
   *
   * @param bank what the synthesizer plays
   * @param sink takes the sound; closed with this
   * @throws IOException if this Java does not give access to its synthesizer
   */
  public LiveSound(SoundBank bank, AudioSink sink) throws IOException {
    this.engine = new SoundEngine(bank.samples());
    this.messages = new NoteMessages(bank::decibels, this::send);
    this.sink = sink;
    player.setDaemon(true);
  }

  private void send(Timed timed) {
    engine.send(timed.message(), timed.micros());
  }

  /** Begins to sound. */
  public void start() {
    player.start();
  }

  /**
   * Queues the next event; its time counts from the first frame.
   *
   * @return false if it was dropped: the queue is full, the device is gone, the synthesizer has
   *     failed, or this is closed
   */
  public boolean play(NoteEvent note) {
    if (closed || failed || !queue.offer(note)) {
      droppedCount.incrementAndGet();
      return false;
    }
    return true;
  }

  @Override
  public void now(NoteEvent note) {
    play(note.at(positionMicros()));
  }

  @Override
  public void advance() {} // The sink sets the pace.

  /** Played time so far: an event of this time sounds now. */
  public long positionMicros() {
    return frame.get() * 1_000_000 / SoundEngine.RATE_HZ;
  }

  /** The number of events dropped because the queue was full. */
  public long droppedCount() {
    return droppedCount.get();
  }

  /** Silences everything and releases the device. */
  @Override
  public void close() {
    closed = true;
    try {
      player.join(JOIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    engine.close();
    sink.close();
  }

  private void run() {
    float[] stereo = new float[2 * STEP_FRAMES];
    try {
      while (!closed) {
        long horizon = SoundEngine.horizonMicros(frame.get() + STEP_FRAMES);
        for (NoteEvent note = queue.poll(); note != null; note = queue.poll()) {
          messages.add(note.notBefore(positionMicros()));
        }
        messages.advance(horizon);
        engine.read(stereo, STEP_FRAMES);
        if (!sink.write(stereo, STEP_FRAMES)) {
          failed = !closed;
          return;
        }
        frame.addAndGet(STEP_FRAMES);
      }
    } catch (IOException | RuntimeException e) {
      failed = true;
    }
  }
}
