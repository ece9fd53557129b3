// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.SourceDataLine;
import org.junit.jupiter.api.Test;

class LineSinkTest {
  private final List<String> calls = new ArrayList<>();
  private int accepted = Integer.MAX_VALUE;

  /** A sound card that records the calls. */
  private final SourceDataLine card =
      (SourceDataLine)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {SourceDataLine.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("open")) {
                  AudioFormat format = (AudioFormat) arguments[0];
                  calls.add(
                      "open %.0f Hz %d bit %d bytes"
                          .formatted(
                              format.getSampleRate(),
                              format.getSampleSizeInBits(),
                              (Integer) arguments[1]));
                  return null;
                }
                calls.add(method.getName());
                return method.getName().equals("write")
                    ? Math.min(accepted, (Integer) arguments[2])
                    : null;
              });

  @Test
  void line_hasTwentyMillisecondsOfBuffer() throws Exception {
    try (LineSink sink = new LineSink(card)) {
      assertThat(sink.write(new float[176], 88)).isTrue();
    }
    assertThat(calls).containsExactly("open 44100 Hz 16 bit 3528 bytes", "start", "write", "close");
  }

  @Test
  void lineThatTakesLess_isGone() throws Exception {
    accepted = 100;
    try (LineSink sink = new LineSink(card)) {
      assertThat(sink.write(new float[176], 88)).isFalse();
    }
  }
}
