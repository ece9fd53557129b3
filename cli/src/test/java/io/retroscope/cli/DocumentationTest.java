// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the blocks of the pages that show a terminal, and are marked for it: they must print the
 * shown output. See {@link ConsoleBlock} for their syntax.
 */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final long TIMEOUT_SECONDS = 120;

  @TempDir static Path folder;
  private static final List<ResidentCommand> RESIDENTS = new ArrayList<>();

  @AfterAll
  static void end() {
    RESIDENTS.forEach(ResidentCommand::close);
  }

  static List<ConsoleBlock> testedBlocks() throws IOException {
    return ConsoleBlock.all(ROOT, "console test");
  }

  /** Each page has a separate folder, in which its blocks run in sequence. */
  @ParameterizedTest
  @MethodSource("testedBlocks")
  void testedBlock_isRun_printsWhatItShows(ConsoleBlock block) throws Exception {
    Path place = workingFolder(block.block().page());
    for (ConsoleBlock.Step step : block.steps()) {
      String printed = run(place, step.command());
      if (!step.prints(printed)) {
        fail(
            "%s: \"%s\" prints%n%s%nbut the page shows%n%s",
            block, step.command(), printed, String.join("\n", step.output()));
      }
    }
    assertThat(ResidentCommand.errors(place)).as("%s", block).content().isEmpty();
  }

  @Test
  void documentation_hasBlocksThatAreTested() throws IOException {
    assertThat(testedBlocks()).isNotEmpty();
  }

  /**
   * Creates a folder with links to the root's content, but with a start script that does not build,
   * and that gives its commands to one process.
   */
  private static Path workingFolder(String page) throws IOException {
    Path place = folder.resolve(page.replace('/', '-'));
    if (Files.exists(place)) {
      return place;
    }
    Files.createDirectories(place);
    try (Stream<Path> content = Files.list(ROOT)) {
      for (Path path : content.toList()) {
        if (!path.endsWith("retroscope")) {
          Files.createSymbolicLink(place.resolve(path.getFileName()), path);
        }
      }
    }
    RESIDENTS.add(ResidentCommand.start(place));
    return place;
  }

  private static String run(Path place, String command) throws Exception {
    Path printed = Files.createTempFile(folder, "printed", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", command)
            .directory(place.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile());
    builder.environment().put("HOME", place.toString());
    builder.environment().remove("RETROSCOPE_SERVER");
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError(command + " does not end");
    }
    return Files.readString(printed, StandardCharsets.UTF_8).replace("\r\n", "\n");
  }
}
