// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that runs case studies, keeps what they print, and fails a test that leaves a
 * process running. A field of the test, one for each of its methods; used by one thread.
 */
public final class CaseTrial implements BeforeEachCallback, AfterEachCallback {
  /** A server's own children end after it. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(10);

  private final StringWriter printed = new StringWriter();
  private final StringWriter complaints = new StringWriter();
  private @Nullable SeenProcesses processes;

  @Override
  public void beforeEach(ExtensionContext context) {
    begin();
  }

  void begin() {
    processes = new SeenProcesses();
  }

  /**
   * Runs a case study to its end.
   *
   * @param seconds the duration of its load, as {@link DemoOptions} limits it
   * @param out the folder for what it leaves
   * @return 0, or 1 if it failed
   * @throws AssertionError if no process of it was seen, so that none would be missed at the end
   */
  public int run(CaseStudy study, int seconds, Path out) {
    DemoOptions options = new DemoOptions(seconds, out, false, false, 0, false);
    int status =
        new CaseRun(
                study, options, new PrintWriter(printed, true), new PrintWriter(complaints, true))
            .run();
    if (seen().count() == 0) {
      throw new AssertionError("no process was seen: " + output());
    }
    return status;
  }

  private SeenProcesses seen() {
    if (processes == null) {
      throw new IllegalStateException("annotate the field with @RegisterExtension");
    }
    return processes;
  }

  /** What the runs printed: progress and results. */
  public String printed() {
    return printed.toString();
  }

  /** The reasons of failures. */
  public String complaints() {
    return complaints.toString();
  }

  /** Both, for the message of an assertion. */
  public String output() {
    return printed + "\n" + complaints;
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    end();
  }

  /** Children must have ended with the run, and what those had started soon after. */
  void end() throws InterruptedException {
    try (SeenProcesses ended = seen()) {
      requireNone(ProcessHandle.current().children().filter(ProcessHandle::isAlive).toList());
      requireNone(ended.running(END_PATIENCE));
    }
  }

  private static void requireNone(List<ProcessHandle> running) {
    if (!running.isEmpty()) {
      throw new AssertionError(
          "still running: " + running.stream().map(ProcessHandle::info).toList());
    }
  }
}
