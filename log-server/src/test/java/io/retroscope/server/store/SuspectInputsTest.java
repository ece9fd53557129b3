// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.store.SuspectInputs.Decoding;
import io.retroscope.server.store.disk.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of inputs that end the process, which is simulated by not closing them. */
@Timeout(60)
class SuspectInputsTest {
  private static final byte[] BAD = "bad".getBytes(StandardCharsets.UTF_8);
  private static final byte[] GOOD = "good".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  @Test
  void begin_inputThatEndedTheProcessTwice_isRefusedAndKeptFromThenOn() throws Exception {
    start().begin(BAD, "a test");
    start().begin(BAD, "a test");

    for (int i = 0; i < 3; i++) {
      SuspectInputs third = start();
      for (int again = 0; again < 2; again++) {
        assertThatThrownBy(() -> third.begin(BAD, "a test"))
            .isInstanceOf(SuspectInputs.RefusedException.class)
            .hasMessageContaining("ended twice while it decoded this input");
      }
      third.begin(GOOD, "a test").end();
    }
    try (var files = Files.list(directory.resolve(RejectedInput.FOLDER))) {
      assertThat(files.filter(file -> file.toString().endsWith(".bin")))
          .singleElement()
          .satisfies(file -> assertThat(file).hasBinaryContent(BAD));
    }
  }

  @Test
  void begin_inputThatWasDecodedInBetween_isTaken() throws Exception {
    start().begin(BAD, "a test");
    start().begin(BAD, "a test").end();
    start().begin(BAD, "a test");
    start().begin(BAD, "a test").end();
  }

  @Test
  void begin_startWithoutTheInputInBetween_countsAnew() throws Exception {
    start().begin(BAD, "a test");
    SuspectInputs unused = start();
    start().begin(BAD, "a test");
    start().begin(BAD, "a test").end();
  }

  @Test
  void begin_suspect_isDecodedAlone() throws Exception {
    start().begin(BAD, "a test");
    SuspectInputs inputs = start();
    CountDownLatch done = new CountDownLatch(1);
    Decoding suspect = inputs.begin(BAD, "a test");
    Thread other =
        new Thread(
            () -> {
              try {
                inputs.begin(GOOD, "a test").end();
                done.countDown();
              } catch (SuspectInputs.RefusedException e) {
                throw new AssertionError(e);
              }
            });
    other.start();
    assertThat(done.await(100, TimeUnit.MILLISECONDS)).isFalse();
    suspect.end();
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    other.join();
  }

  @Test
  void begin_manyAtATime_areAllTakenAndNoneIsLeft() throws Exception {
    SuspectInputs inputs = start();
    Decoding[] all = new Decoding[300];
    for (int i = 0; i < all.length; i++) {
      all[i] = inputs.begin(new byte[] {(byte) i, (byte) (i >> 8)}, "a test");
    }
    for (Decoding one : all) {
      one.end();
    }
    SuspectInputs unused = start();
    assertThat(directory.resolve("SUSPECTS")).doesNotExist();
  }

  /** The list is bounded; the newest inputs are kept. */
  @Test
  void start_moreRefusedThanAreRemembered_forgetsTheOldest() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 1_200; i++) {
      lines.append("refused ").append("%064x".formatted(i)).append('\n');
    }
    Path file = Files.writeString(directory.resolve("SUSPECTS"), lines);
    SuspectInputs unused = start();
    assertThat(Files.readAllLines(file))
        .hasSize(1_000)
        .startsWith("refused " + "%064x".formatted(200))
        .endsWith("refused " + "%064x".formatted(1_199));
  }

  /** An input is refused only if it was kept, so that the sender may try again. */
  @Test
  void begin_refusedInputThatCannotBeKept_isKeptTheNextTime() throws Exception {
    start().begin(BAD, "a test");
    start().begin(BAD, "a test");
    SuspectInputs inputs = start();
    Path folder = directory.resolve(RejectedInput.FOLDER);
    Files.deleteIfExists(folder);
    Files.createFile(folder);
    assertThatThrownBy(() -> inputs.begin(BAD, "a test")).isInstanceOf(StoreException.class);
    Files.delete(folder);
    Files.createDirectory(folder);
    assertThatThrownBy(() -> inputs.begin(BAD, "a test"))
        .isInstanceOf(SuspectInputs.RefusedException.class);
    try (var files = Files.list(folder)) {
      assertThat(files).isNotEmpty();
    }
  }

  private SuspectInputs start() {
    return new SuspectInputs(directory, new RejectedInput(directory, 10, 1 << 20));
  }
}
