// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
final class CaseTrialTest {
  @TempDir Path out;

  private final CaseTrial trial = new CaseTrial();

  /** A case that starts a program, waits for a byte of it, and fails. */
  private record FailingCase(List<String> program) implements CaseStudy {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public List<Question> questions() {
      return List.of();
    }

    @Override
    public String soundscape() {
      return "";
    }

    @Override
    public CaseStudy withoutFaults() {
      return this;
    }

    @Override
    public Scene start(Path folder, URI server) throws StageException, IOException {
      if (!program.isEmpty()) {
        Process parent = new ProcessBuilder(program).start();
        if (parent.getInputStream().read() < 0) {
          throw new IOException("the program wrote nothing");
        }
      }
      throw new StageException("the system does not start");
    }
  }

  @Test
  void end_childStillRuns_fails() throws Exception {
    trial.begin();

    assertThat(trial.run(new FailingCase(List.of("sh", "-c", "echo; exec sleep 600")), 1, out))
        .isEqualTo(1);

    assertThat(trial.complaints()).contains("the system does not start");
    try {
      assertThatThrownBy(trial::end)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("still running");
    } finally {
      ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void run_startsNoProcess_fails() {
    trial.begin();

    assertThatThrownBy(() -> trial.run(new FailingCase(List.of()), 1, out))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no process was seen");
  }
}
