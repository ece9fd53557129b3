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
  void accept_bareHeartbeats_areThinnedOutToOneASecond() throws IOException {
    Path file = directory.resolve("trace.rtsb");
    try (FileSink sink = new FileSink(file)) {
      for (int i = 0; i < 100; i++) {
        sink.accept(Blocks.heartbeat(1, i * 20_000L));
      }
    }
    assertThat(numbers(file)).hasSize(2);
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
      return all.map(path -> path.getFileName().toString()).toList();
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
