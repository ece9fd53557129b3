// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogFileTest {
  @TempDir Path folder;

  @Test
  void head_afterReopening_isTheSame() throws Exception {
    String head;
    try (LogFile log = LogFile.open(folder.resolve("log"), 0)) {
      log.append(bytes(1, 2, 3), 3);
      log.append(bytes(4, 5), 2);
      head = log.head();
    }
    try (LogFile log = LogFile.open(folder.resolve("log"), 0)) {
      assertThat(log.head()).isEqualTo(head).startsWith("5/");
    }
  }

  @Test
  void ship_partThatBeginsLater_countsFromTheBeginOfTheLog() throws Exception {
    try (LogFile part = LogFile.open(folder.resolve("part"), 100)) {
      part.append(bytes(1, 2, 3), 3);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      part.ship(101, 2, Channels.newChannel(out));
      assertThat(out.toByteArray()).containsExactly(2, 3);
      assertThat(part.end()).isEqualTo(103);
    }
  }

  /** Otherwise a standby would keep a part of a write, and the next one would follow a gap. */
  @Test
  void append_endsWithinAFrame_keepsNothingOfIt() throws Exception {
    try (LogFile log = LogFile.open(folder.resolve("log"), 0)) {
      log.append(bytes(1, 2), 2);
      String head = log.head();
      assertThatThrownBy(() -> log.append(bytes(3), 2)).isInstanceOf(EOFException.class);
      assertThat(log.head()).isEqualTo(head);
      assertThat(folder.resolve("log")).hasSize(2);
    }
  }

  private static ReadableByteChannel bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Channels.newChannel(new ByteArrayInputStream(bytes));
  }
}
