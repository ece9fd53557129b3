// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RejectedInputTest {
  @TempDir Path directory;

  @Test
  void keep_moreThanTheBounds_dropsTheOldest() {
    RejectedInput rejected = new RejectedInput(directory, 3, 100);
    for (int i = 0; i < 5; i++) {
      rejected.keep("input-" + i, new byte[10], "reason " + i);
    }
    assertThat(folder()).isDirectoryNotContaining("glob:**input-1.*");
    assertThat(folder().resolve("input-2.txt")).hasContent("reason 2");
    assertThat(folder().resolve("input-4.bin")).hasBinaryContent(new byte[10]);

    rejected.keep("large", new byte[200], "too large for the others");
    assertThat(folder().toFile().list()).containsExactlyInAnyOrder("large.bin", "large.txt");
    assertThat(rejected.rejectedCount()).isEqualTo(6);
  }

  @Test
  void keep_afterARestart_countsTheStoredInputs() {
    new RejectedInput(directory, 2, 100).keep("a", new byte[1], "first");
    RejectedInput again = new RejectedInput(directory, 2, 100);
    again.keep("b/../c", new byte[1], "second");
    again.keep("d", new byte[1], "third");

    assertThat(folder().toFile().list())
        .containsExactlyInAnyOrder("b_.._c.bin", "b_.._c.txt", "d.bin", "d.txt");
  }

  private Path folder() {
    return directory.resolve(RejectedInput.FOLDER);
  }
}
