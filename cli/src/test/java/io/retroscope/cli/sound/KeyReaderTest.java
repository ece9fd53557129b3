// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Reader;
import java.io.StringReader;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class KeyReaderTest {
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger others = new AtomicInteger();

  private int acknowledged(Reader in) {
    new KeyReader(in, Map.of("a", count::incrementAndGet), others::incrementAndGet).run();
    return count.get();
  }

  @Test
  void run_theKeyOnItsLine_acknowledges() {
    assertThat(acknowledged(new StringReader("a\nx\n A \r\n\naa\na"))).isEqualTo(3);
    assertThat(others).as("x and aa").hasValue(2);
  }

  @Test
  void run_longLine_isNoKeyAndKeepsItsBeginningOnly() {
    String line = " ".repeat(KeyReader.MAX_LINE_CHARS + 1) + "a\n";
    assertThat(acknowledged(new StringReader(line + line.repeat(1_000) + "a\n"))).isEqualTo(1);
  }
}
