// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static io.retroscope.sonify.play.Acoustics.BANK;
import static io.retroscope.sonify.play.Acoustics.PATCHES;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.soundscape.NoteEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LiveSoundTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int FRAMES = 3 * Acoustics.RATE;

  /** A sink without a device: keeps its samples, and calls back before each step. */
  private static final class NullLine implements AudioSink {
    private final float[] collected;
    private final CountDownLatch full = new CountDownLatch(1);
    private Runnable beforeStep = () -> {};
    private int at;
    private volatile boolean closed;

    NullLine(int frames) {
      collected = new float[2 * frames];
    }

    int frame() {
      return at / 2;
    }

    @Override
    public boolean write(float[] stereo, int frames) {
      int count = Math.min(2 * frames, collected.length - at);
      System.arraycopy(stereo, 0, collected, at, count);
      at += count;
      beforeStep.run();
      if (at == collected.length) {
        full.countDown();
        return false;
      }
      return true;
    }

    float[] await() throws InterruptedException {
      assertThat(full.await(60, TimeUnit.SECONDS)).isTrue();
      return collected;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Live sound equals the content of a file, sample by sample. */
  @Test
  void liveIntoANullLine_equalsTheRendering() throws Exception {
    List<NoteEvent> notes = notes(11);
    NullLine line = new NullLine(FRAMES);
    try (LiveSound live = new LiveSound(BANK, line)) {
      // Each note comes a little before its time, from the player's own thread.
      List<NoteEvent> waiting = new ArrayList<>(notes);
      line.beforeStep =
          () -> {
            long soon = live.positionMicros() + 40_000;
            while (!waiting.isEmpty() && waiting.get(0).micros() < soon) {
              assertThat(live.play(waiting.remove(0))).isTrue();
            }
          };
      line.beforeStep.run();
      live.start();
      assertThat(line.await()).isEqualTo(Acoustics.render(notes, 3));
      assertThat(live.droppedCount()).isZero();
    }
    assertThat(line.closed).isTrue();
  }

  private static List<NoteEvent> notes(long seed) {
    Random random = new Random(seed);
    List<NoteEvent> notes = new ArrayList<>();
    double seconds = 0.05;
    while (seconds < 2.5) {
      String patch = PATCHES.patches().get(random.nextInt(12)).name();
      notes.add(
          Acoustics.mark(seconds, patch, 48 + random.nextInt(36), 60 + random.nextInt(60), 0.2));
      seconds += 0.05 * random.nextDouble();
    }
    return notes;
  }

  /** A note of now: the step, the look-ahead of the limiter, and nothing else. */
  @Test
  void noteToFirstSample_isWithinTenMilliseconds() throws Exception {
    NullLine line = new NullLine(Acoustics.RATE / 2);
    int[] played = {0};
    try (LiveSound live = new LiveSound(BANK, line)) {
      line.beforeStep =
          () -> {
            if (played[0] == 0 && line.frame() > 5_000) {
              played[0] = line.frame();
              live.play(Acoustics.mark(0, "wood", 60, 127, 0.1));
            }
          };
      live.start();
      float[] sound = line.await();
      int first = 0;
      while (sound[first] == 0) {
        first++;
      }
      int delay = first / 2 - played[0];
      double millis = 1_000.0 * delay / Acoustics.RATE;
      System.out.printf("note to first sample: %.1f ms, and 20 ms of line buffer%n", millis);
      assertThat(millis).isBetween(0.0, 10.0);
    }
  }

  @Test
  void deviceThatVanishes_ends_withoutHoldingUpTheCaller() throws Exception {
    NullLine line = new NullLine(100);
    try (LiveSound live = new LiveSound(BANK, line)) {
      live.start();
      line.await();
      NoteEvent note = Acoustics.mark(0, "wood", 60, 90, 0.1);
      AtomicInteger taken = new AtomicInteger();
      org.awaitility.Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> !live.play(note) || taken.incrementAndGet() > LiveSound.QUEUE_CAPACITY);
      assertThat(taken).as("notes for a device that is gone").hasValueLessThan(100);
      assertThat(live.play(note)).isFalse();
      assertThat(live.droppedCount()).isEqualTo(2);
    }
  }

  @Test
  void notesBeforeStart_waitWithinBounds() throws Exception {
    try (LiveSound live = new LiveSound(BANK, new NullLine(1))) {
      NoteEvent note = Acoustics.mark(0, "wood", 60, 90, 0.1);
      for (int i = 0; i < LiveSound.QUEUE_CAPACITY; i++) {
        assertThat(live.play(note)).isTrue();
      }
      assertThat(live.play(note)).isFalse();
    }
  }

  @Test
  void closed_takesNoMoreNotes() throws Exception {
    LiveSound live = new LiveSound(BANK, new NullLine(1));
    live.close();
    assertThat(live.play(Acoustics.mark(0, "wood", 60, 90, 0.1))).isFalse();
  }

  /** Silence is silence: no noise and no offset. */
  @Test
  void nothingPlayed_isDigitalSilence() throws Exception {
    NullLine line = new NullLine(Acoustics.RATE);
    try (LiveSound live = new LiveSound(BANK, line)) {
      live.start();
      float[] sound = line.await();
      float[] silence = new float[sound.length];
      assertThat(Arrays.equals(sound, silence)).isTrue();
    }
  }
}
