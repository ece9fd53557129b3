// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileClockBoundTest {
  private static final long LOW = HlcTimestamp.pack(1_795_200_000_000_000L);
  private static final long HIGH = LOW + 5;
  private static final int RECORD_BYTES = 16;

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("clock");
  }

  private void store(long... bounds) throws IOException {
    try (ClockBound bound = ClockBound.inFile(file, false)) {
      bound.load();
      for (long each : bounds) {
        bound.store(each);
      }
    }
  }

  private static OptionalLong load(Path from) throws IOException {
    try (ClockBound bound = ClockBound.inFile(from, false)) {
      return bound.load();
    }
  }

  private void damage(int position) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[position] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void load_nothingStored_isEmpty() throws IOException {
    assertThat(load(file)).isEmpty();
  }

  /** After two and after three stores the higher record is the second and the first in the file. */
  @Test
  void load_twoRecords_theHigherCountsWhereverItIs() throws IOException {
    store(LOW, HIGH);
    assertThat(load(file)).hasValue(HIGH);
    store(HIGH + 1);
    assertThat(load(file)).hasValue(HIGH + 1);
    store(HIGH + 2);
    assertThat(load(file)).hasValue(HIGH + 2);
  }

  @Test
  void load_tornRecord_theOtherCounts() throws IOException {
    store(LOW, HIGH);
    damage(RECORD_BYTES + 4);
    assertThat(load(file)).hasValue(LOW);
    damage(3);
    assertThatThrownBy(() -> load(file))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("damaged", file.toString());
  }

  @Test
  void store_lowerBound_isInForce() throws IOException {
    store(LOW, HIGH, LOW + 1);
    assertThat(load(file)).hasValue(LOW + 1);
  }

  @Test
  void store_lowerBoundThanAFileThatWasNotLoaded_isInForce() throws IOException {
    store(LOW, HIGH);
    try (ClockBound bound = ClockBound.inFile(file, false)) {
      bound.store(LOW);
    }
    assertThat(load(file)).hasValue(LOW);
  }

  /**
   * Simulates a power loss at every step: the disk then has at least the content that was forced
   * before.
   */
  @Test
  void store_durable_isForcedBeforeItReturns() throws IOException {
    Random random = new Random(7);
    Path disk = directory.resolve("disk");
    long highest = LOW;
    try (ClockBound bound =
        new FileClockBound(
            file, open -> Files.copy(file, disk, StandardCopyOption.REPLACE_EXISTING))) {
      bound.load();
      for (int i = 0; i < 100; i++) {
        highest += random.nextInt(20) - 5;
        bound.store(highest);
        assertThat(load(disk)).hasValue(highest);
      }
    }
  }

  @Test
  void inFile_fsync_forces() throws IOException {
    try (ClockBound bound = ClockBound.inFile(file, true)) {
      bound.store(LOW); // on the real disk
    }
    assertThat(load(file)).hasValue(LOW);
  }

  @Test
  void loadAndStore_interruptedCaller_workAndKeepTheInterrupt() throws IOException {
    Thread.currentThread().interrupt();
    try (ClockBound bound = ClockBound.inFile(file, true)) {
      bound.load();
      bound.store(LOW);
      bound.store(HIGH);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      assertThat(bound.load()).hasValue(HIGH);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void store_afterAFailure_opensTheFileAgain() throws IOException {
    boolean[] failing = {true};
    try (ClockBound bound =
        new FileClockBound(
            file,
            open -> {
              if (failing[0]) {
                throw new IOException("the disk does not answer");
              }
            })) {
      assertThatThrownBy(() -> bound.store(LOW)).hasMessageContaining("does not answer");
      failing[0] = false;
      bound.store(HIGH);
    }
    assertThat(load(file)).hasValue(HIGH);
  }

  @Test
  void store_afterClose_isRefused() throws IOException {
    ClockBound bound = ClockBound.inFile(file, false);
    bound.close();
    assertThatThrownBy(() -> bound.store(LOW)).isInstanceOf(IOException.class);
    assertThat(load(file)).isEmpty();
  }
}
