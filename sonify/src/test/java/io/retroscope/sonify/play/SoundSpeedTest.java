// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.soundscape.NoteEvent;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long an hour of soundscape takes. */
class SoundSpeedTest {
  private static final double HOUR_SECONDS = 3_600;

  @Test
  @Tag("slow")
  void anHour_takesThirtySecondsOfOneCore() throws Exception {
    History history = History.random(9, 1_500);
    List<NoteEvent> notes = history.notes();
    Performance performance = new Performance(notes, Acoustics.micros(HOUR_SECONDS));
    float[] stereo = new float[2 * 4_096];
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long frames = 0;
    try (Rendering rendering = new Rendering(performance, Acoustics.BANK)) {
      for (int read = rendering.read(stereo); read > 0; read = rendering.read(stereo)) {
        frames += read;
      }
    }
    double seconds = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / 1e9;
    System.out.printf(
        "an hour: %.1f s of one core, %.0f times real time%n", seconds, HOUR_SECONDS / seconds);
    assertThat(frames).isEqualTo(158_760_000);
    assertThat(seconds).isLessThan(30);
  }
}
