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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Checks the terminal blocks of the README, and of the pages of {@code docs/}, examples and
 * integrations: blocks that are marked for it are run and must print the shown output, and all
 * others must at least name existing commands and options. See {@link ConsoleBlock} for their
 * syntax.
 */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final long TIMEOUT_SECONDS = 120;

  @TempDir static Path folder;

  static List<ConsoleBlock> blocks() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> found = Files.list(ROOT)) {
      found.filter(path -> path.toString().endsWith(".md")).forEach(pages::add);
    }
    for (String pagesOf : List.of("docs", "examples", "instrumentation")) {
      try (Stream<Path> found = Files.walk(ROOT.resolve(pagesOf))) {
        found
            .filter(path -> path.toString().endsWith(".md"))
            .filter(path -> !ROOT.relativize(path).toString().contains("target"))
            .forEach(pages::add);
      }
    }
    pages.sort(null);
    List<ConsoleBlock> blocks = new ArrayList<>();
    for (Path page : pages) {
      blocks.addAll(ConsoleBlock.of(ROOT.relativize(page).toString(), Files.readAllLines(page)));
    }
    return blocks;
  }

  static List<ConsoleBlock> testedBlocks() throws IOException {
    return blocks().stream().filter(ConsoleBlock::tested).toList();
  }

  /** Each page has a separate folder, in which its blocks run in sequence. */
  @ParameterizedTest
  @MethodSource("testedBlocks")
  void testedBlock_isRun_printsWhatItShows(ConsoleBlock block) throws Exception {
    Path place = workingFolder(block.page());
    for (ConsoleBlock.Step step : block.steps()) {
      String printed = run(place, step.command());
      if (!step.prints(printed)) {
        fail(
            "%s: \"%s\" prints%n%s%nbut the page shows%n%s",
            block, step.command(), printed, String.join("\n", step.output()));
      }
    }
  }

  @Test
  void everyBlock_namesCommandsAndOptionsThatThereAre() throws Exception {
    for (ConsoleBlock block : blocks()) {
      for (ConsoleBlock.Step step : block.steps()) {
        if (step.command().startsWith("./retroscope ")
            && !step.command().matches("(?s).*[|&<>;].*")) {
          assertParses(block, words(step.command()));
        }
      }
    }
  }

  private static void assertParses(ConsoleBlock block, List<String> words) {
    try {
      Retroscope.commandLine().parseArgs(words.toArray(String[]::new));
    } catch (CommandLine.ParameterException e) {
      fail("%s: %s: %s", block, String.join(" ", words), e.getMessage());
    }
  }

  /** The words after the command's name, as split by a shell. */
  private List<String> words(String command) throws Exception {
    String arguments = command.substring("./retroscope ".length());
    String printed = run(folder, "printf '%s\\001' " + arguments);
    return List.of(printed.split("\u0001"));
  }

  @Test
  void documentation_hasBlocksThatAreTested() throws IOException {
    assertThat(testedBlocks()).isNotEmpty();
  }

  /**
   * Creates a folder with links to the root's content, but with a start script that does not build.
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
    CommandRun.writeScript(place.resolve("retroscope"));
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
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError(command + " does not end");
    }
    return Files.readString(printed, StandardCharsets.UTF_8).replace("\r\n", "\n");
  }
}
