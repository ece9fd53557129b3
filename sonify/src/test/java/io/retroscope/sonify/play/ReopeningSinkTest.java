// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import javax.sound.sampled.LineUnavailableException;
import org.junit.jupiter.api.Test;

class ReopeningSinkTest {
  private final List<String> notices = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private boolean present = true;
  private long sleptNanos;

  private ReopeningSink sink() {
    return new ReopeningSink(this::device, notices::add, nanos -> sleptNanos += nanos);
  }

  private AudioSink device() throws LineUnavailableException {
    if (!present) {
      throw new LineUnavailableException("this machine has no audio line");
    }
    calls.add("open");
    return new AudioSink() {
      @Override
      public boolean write(float[] stereo, int frames) {
        calls.add("write " + frames);
        return present;
      }

      @Override
      public void close() {
        calls.add("close");
      }
    };
  }

  private static void writeSeconds(ReopeningSink sink, int seconds) {
    for (int i = 0; i < 10 * seconds; i++) {
      assertThat(sink.write(new float[0], SoundEngine.RATE_HZ / 10)).isTrue();
    }
  }

  @Test
  void device_thatVanishes_comesBack() {
    ReopeningSink sink = sink();
    present = false;
    writeSeconds(sink, 5);
    assertThat(notices)
        .containsExactly("the sound device is gone; sound continues when it is back");
    assertThat(calls).containsExactly("open", "write 4410", "close");
    assertThat(sleptNanos).as("at the pace of sound").isEqualTo(4_900_000_000L);
    present = true;
    writeSeconds(sink, 3);
    assertThat(notices).endsWith("the sound device is back").hasSize(2);
    assertThat(calls.subList(3, calls.size())).startsWith("open", "write 4410");
    sink.close();
    assertThat(calls).endsWith("close");
  }

  @Test
  void device_thatIsAbsent_isReportedOnce() {
    present = false;
    writeSeconds(sink(), 20);
    assertThat(notices).containsExactly("no live sound: this machine has no audio line");
  }
}
