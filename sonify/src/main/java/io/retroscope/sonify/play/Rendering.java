// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.MidiMessages.Timed;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.io.IOException;
import java.util.List;

/** Computes the samples of a performance. Not thread-safe. */
public final class Rendering implements AutoCloseable {
  private final SoundEngine engine;
  private final NoteMessages messages;
  private final List<NoteEvent> notes;
  private final long frameCount;
  private long frame;
  private int next;

  /**
   * Opens a rendering.
   *
   * @param bank what the synthesizer plays
   * @throws IOException if this Java does not give access to its synthesizer
   */
  public Rendering(Performance performance, SoundBank bank) throws IOException {
    engine = new SoundEngine(bank.samples());
    messages = new NoteMessages(bank::decibels, this::send);
    notes = performance.notes();
    frameCount = SoundEngine.frames(performance.lengthMicros());
  }

  private void send(Timed timed) {
    engine.send(timed.message(), timed.micros());
  }

  /** All frames, whether read or not. */
  public long frameCount() {
    return frameCount;
  }

  /**
   * Computes the next frames.
   *
   * @param stereo takes interleaved frames; its length is even
   * @return how many frames it holds; 0 at the end
   */
  public int read(float[] stereo) throws IOException {
    int frames = (int) Math.min(stereo.length / 2, frameCount - frame);
    if (frames == 0) {
      return 0;
    }
    frame += frames;
    long horizon = SoundEngine.horizonMicros(frame);
    while (next < notes.size() && notes.get(next).micros() <= horizon) {
      messages.add(notes.get(next++));
    }
    messages.advance(horizon);
    engine.read(stereo, frames);
    return frames;
  }

  @Override
  public void close() {
    engine.close();
  }
}
