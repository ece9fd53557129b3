// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An empty home, and a path that has the tools of any system, but neither Maven nor Java. */
final class UserMachine {
  private static final List<String> TOOLS =
      List.of("sh", "bash", "cat", "cksum", "dirname", "mkdir", "mv", "readlink", "rm", "sed");

  private final Path folder;

  UserMachine(Path folder) throws IOException {
    this.folder = folder;
    Files.createDirectories(home());
    Path tools = Files.createDirectories(folder.resolve("tools"));
    for (String tool : TOOLS) {
      Files.createSymbolicLink(tools.resolve(tool), find(tool));
    }
  }

  Path home() {
    return folder.resolve("home");
  }

  /** A run of a command until its end, at most two minutes. */
  Ended run(Map<String, String> environment, List<String> command) throws Exception {
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    Process process =
        builder(environment, command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    process.getOutputStream().close();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " did not end");
    }
    return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  ProcessBuilder builder(Map<String, String> environment, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", folder.resolve("tools").toString());
    builder.environment().put("HOME", home().toString());
    builder.environment().put("RETROSCOPE_NO_WARM_UP", "true");
    // Commands of tests end before optimized code pays.
    builder.environment().put("RETROSCOPE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    builder.environment().putAll(environment);
    return builder;
  }

  private static Path find(String tool) {
    return Stream.of(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError(tool + " is missing on this machine"));
  }

  /** What a process left. */
  record Ended(int exitCode, String out, String err) {}

  /** The content of a file that another process writes. */
  static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
