// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSinkTest {
  @TempDir Path directory;

  @Test
  void accept_blocks_canBeReadBack() throws IOException {
    Path file = directory.resolve("deep/er/trace.rtsb");
    try (FileSink sink = new FileSink(file)) {
      sink.accept(Blocks.block(1, 3, 10));
      sink.accept(Blocks.block(2, 2, 10));
      assertThat(sink.flush(Duration.ofSeconds(1))).isTrue();
    }
    assertThat(numbers(file)).containsExactly(1L, 2L);
  }

  @Test
  void accept_fullFile_rotatesAndKeepsTheNewest() throws IOException {
    Path file = directory.resolve("trace.rtsb");
    try (FileSink sink = new FileSink(file, 500, 3, true)) {
      for (int number = 1; number <= 10; number++) {
        sink.accept(Blocks.block(number, 1, 600));
      }
    }
    assertThat(files()).containsExactlyInAnyOrder("trace.rtsb", "trace.rtsb.8", "trace.rtsb.9");
    assertThat(numbers(file)).containsExactly(10L);
    assertThat(numbers(directory.resolve("trace.rtsb.8"))).containsExactly(8L);
  }

  @Test
  void open_afterAnEarlierRun_leavesItsFileAlone() throws IOException {
    Path file = directory.resolve("trace.rtsb");
    Files.write(file, new byte[] {1, 2, 3});
    try (FileSink sink = new FileSink(file)) {
      sink.accept(Blocks.block(1, 1, 10));
    }
    assertThat(files()).containsExactlyInAnyOrder("trace.rtsb", "trace.rtsb.1");
    assertThat(Files.size(directory.resolve("trace.rtsb.1"))).isEqualTo(3);
    assertThat(numbers(file)).containsExactly(1L);
  }

  @Test
  void pace_defaultOrChosen_bareHeartbeatsComeOnceASecondAtMost() {
    try (FileSink sink = new FileSink(directory.resolve("trace.rtsb"))) {
      Pace pace = sink.pace(Pace.of(Duration.ofMillis(20), false));
      assertThat(pace.gatherNanos()).isEqualTo(20_000_000);
      assertThat(pace.heartbeatNanos()).isEqualTo(1_000_000_000);
      assertThat(sink.pace(Pace.of(Duration.ofSeconds(3), true)).heartbeatNanos())
          .isEqualTo(3_000_000_000L);
    }
  }

  @Test
  void rotate_numberThatSomebodyElseHasTaken_isNotReplaced() throws IOException {
    Path file = directory.resolve("trace.rtsb");
    Path taken = directory.resolve("trace.rtsb.1");
    try (FileSink sink = new FileSink(file, 500, 5, false)) {
      Files.write(taken, new byte[] {1, 2, 3});
      sink.accept(Blocks.block(1, 1, 600));
      sink.accept(Blocks.block(2, 1, 600));
    }
    assertThat(Files.readAllBytes(taken)).containsExactly(1, 2, 3);
    assertThat(numbers(directory.resolve("trace.rtsb.2"))).containsExactly(1L);
    assertThat(numbers(file)).containsExactly(2L);
  }

  @Test
  void open_fileInUse_aFileNamedAfterTheProcessIsWritten() throws IOException {
    Path file = directory.resolve("trace.rtsb");
    Path own = directory.resolve("trace.rtsb." + ProcessHandle.current().pid());
    try (FileSink first = new FileSink(file);
        FileSink second = new FileSink(file, 500, 2, false)) {
      first.accept(Blocks.block(1, 1, 10));
      second.accept(Blocks.block(2, 1, 600));
      second.accept(Blocks.block(3, 1, 600));
    }
    try (FileSink third = new FileSink(file, 500, 1, false)) {
      third.accept(Blocks.block(4, 1, 600));
    }
    assertThat(numbers(own)).containsExactly(3L);
    assertThat(numbers(Path.of(own + ".1"))).containsExactly(2L);
    assertThat(numbers(file)).containsExactly(4L);
  }

  @Test
  void open_threadInterrupted_everythingIsWritten() throws IOException {
    Path file = directory.resolve("trace.rtsb");
    Thread.currentThread().interrupt();
    try (FileSink sink = new FileSink(file, 500, 5, true)) {
      sink.accept(Blocks.block(1, 1, 600));
      sink.accept(Blocks.block(2, 1, 600));
      assertThat(sink.flush(Duration.ofSeconds(1))).isTrue();
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(numbers(directory.resolve("trace.rtsb.1"))).containsExactly(1L);
    assertThat(numbers(file)).containsExactly(2L);
  }

  @Test
  void accept_diskFull_isAnErrorEachTimeUntilThereIsRoom() throws IOException {
    Path file = Files.createSymbolicLink(directory.resolve("trace.rtsb"), Path.of("/dev/full"));
    EventBlock block = Blocks.block(1, 1, 10);
    try (FileSink sink = new FileSink(file)) {
      assertThatThrownBy(() -> sink.accept(block)).hasMessageContaining("No space left");
      assertThatThrownBy(() -> sink.accept(block)).hasMessageContaining("No space left");
      Files.delete(file);
      sink.accept(block);
    }
    assertThat(numbers(file)).containsExactly(1L);
  }

  @Test
  void accept_afterClose_isAnError() {
    FileSink sink = new FileSink(directory.resolve("trace.rtsb"));
    sink.close();
    EventBlock block = Blocks.block(1, 1, 10);
    assertThatThrownBy(() -> sink.accept(block))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("trace.rtsb");
  }

  private List<String> files() throws IOException {
    try (var all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString())
          .filter(name -> !name.endsWith(".lock"))
          .toList();
    }
  }

  private static List<Long> numbers(Path file) throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (BlockFrame frame : EventBlockCodec.decodeAll(Files.readAllBytes(file))) {
      numbers.add(((EventBlock) frame).number());
    }
    return numbers;
  }
}
