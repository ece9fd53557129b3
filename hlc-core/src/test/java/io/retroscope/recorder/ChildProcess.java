// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A child JVM of a test, with hlc-core and the test's classes. */
final class ChildProcess {
  private final Path directory;
  private final List<String> options = new ArrayList<>();

  /** A child whose output is written into the directory. */
  ChildProcess(Path directory) {
    this.directory = directory;
  }

  /** Adds an option of the JVM, such as {@code -Dx=y}. */
  ChildProcess option(String option) {
    options.add(option);
    return this;
  }

  /** Runs a main class to its end, and returns its output on both streams. */
  String run(Class<?> main, Map<String, String> environment, Path... classPath)
      throws IOException, InterruptedException {
    List<String> paths = new ArrayList<>(List.of(codeOf(Recorder.class), codeOf(main)));
    List.of(classPath).forEach(path -> paths.add(path.toString()));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", String.join(":", paths)));
    command.addAll(options);
    command.add(main.getName());
    ProcessBuilder child = new ProcessBuilder(command);
    child.environment().keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    child.environment().putAll(environment);
    Path out = directory.resolve("out");
    Process process = child.redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(out);
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  private static String codeOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
