// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import org.junit.jupiter.api.Test;

final class FrameTest {
  @Test
  void read_whatWasWritten_isEqual() throws IOException {
    Frame frame = new Frame(1L << 60, "a1", 1L << 40, 1 << 20);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    frame.write(Channels.newChannel(out));
    assertThat(out.size()).isEqualTo(Frame.BYTES);
    assertThat(Frame.read(Channels.newChannel(new ByteArrayInputStream(out.toByteArray()))))
        .isEqualTo(frame);
  }
}
