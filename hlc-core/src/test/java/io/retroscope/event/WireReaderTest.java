// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireReaderTest {
  @Test
  void getVarint_randomNumbers_areThoseThatWereWritten() throws CorruptBlockException {
    Random random = new Random(1);
    long[] numbers = new long[2_000];
    Arrays.setAll(numbers, i -> random.nextLong() >>> random.nextInt(Long.SIZE));
    numbers[0] = 0;
    numbers[1] = -1;
    WireWriter out = new WireWriter();
    Arrays.stream(numbers).forEach(out::putVarint);
    byte[] bytes = out.toByteArray();
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    for (long number : numbers) {
      assertThat(in.getVarint()).isEqualTo(number);
    }
    assertThat(in.remaining()).isZero();
  }

  @Test
  void getText_anyTextThatWasWritten_isTheSame() throws CorruptBlockException {
    WireWriter out = new WireWriter();
    String[] texts = {
      "", "plain", "caf\u00e9", "\u007f\u0080\u00ff", "\u4e2d\ud83d\ude00 a", "a\u2028"
    };
    for (String text : texts) {
      out.putText(text);
      out.putText(text.repeat(3_000)); // more than the writer has at first
    }
    byte[] bytes = out.toByteArray();
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    for (String text : texts) {
      assertThat(in.getText()).isEqualTo(text);
      assertThat(in.getText()).isEqualTo(text.repeat(3_000));
    }
    assertThat(in.remaining()).isZero();
  }

  @Test
  void getVarint_thatNeverEnds_isRefusedAfterTenBytes() {
    for (int count = 0; count <= 12; count++) {
      byte[] bytes = new byte[count];
      Arrays.fill(bytes, (byte) 0x80);
      WireReader in = new WireReader(bytes, 0, count, 0);
      assertThatThrownBy(in::getVarint)
          .as("%d bytes", count)
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining(count < 10 ? "ends too early" : "longer than 10 bytes");
    }
  }
}
