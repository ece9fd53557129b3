// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.process.StandardStreams;
import io.retroscope.rql.print.OutputFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the examples in {@code docs/rql} and the README. A {@code json} block, or a comment {@code
 * <!-- events: name -->}, is the file of events for the blocks that follow it. An {@code rql} block
 * is run on that file, and the {@code text} block after it is exactly the shell's output: into a
 * file, or on a terminal if a comment says so. {@code -Dgolden.update} rewrites the output instead.
 */
class RqlPagesTest {
  private static final Path FOLDER = Path.of("..", "docs", "rql");
  private static final Pattern EVENTS_FILE = Pattern.compile("<!-- events: (\\S+) -->");
  private static final Pattern TERMINAL = Pattern.compile("<!-- terminal: (\\d+) columns -->");
  private static final String FILE = "file ";
  private static final List<String> PAGES =
      List.of(
          "cookbook.md",
          "for-published-rql-users.md",
          "reference.md",
          "shell.md",
          "tutorial.md",
          "../../README.md");

  /** A fenced block of the lines between {@code first} and {@code end}. */
  private record Block(String language, int first, int end) {
    String text(List<String> lines) {
      return String.join("\n", lines.subList(first, end)) + "\n";
    }

    boolean isEvents() {
      return language.equals("json") || language.startsWith(FILE);
    }

    String events(List<String> lines) throws IOException {
      return language.startsWith(FILE)
          ? Files.readString(FOLDER.resolve(language.substring(FILE.length())))
          : text(lines);
    }
  }

  @TestFactory
  Stream<DynamicContainer> pages() throws IOException {
    List<DynamicContainer> pages = new ArrayList<>();
    for (String name : PAGES) {
      Path page = FOLDER.resolve(name);
      if (Files.exists(page)) {
        pages.add(DynamicContainer.dynamicContainer(name, examples(page)));
      }
    }
    return pages.stream();
  }

  /**
   * Checks that there are no clock readings, because with readings the shell itself prints more.
   */
  @Test
  void pagesOfATerminal_haveNoClockReadings() throws IOException {
    assertThat(FOLDER.resolve("tutorial.ndjson")).content().doesNotContain("\"pt\"");
    assertThat(FOLDER.resolve("cookbook.md")).content().doesNotContain("\"pt\"");
  }

  @Test
  void cookbook_answersAtLeastTwentyFiveQuestions() throws IOException {
    List<String> lines = Files.readAllLines(FOLDER.resolve("cookbook.md"));

    assertThat(lines.stream().filter(line -> line.startsWith("### "))).hasSizeGreaterThan(25);
    assertThat(blocks(lines).stream().filter(b -> b.language.equals("rql")))
        .hasSizeGreaterThanOrEqualTo(
            (int) lines.stream().filter(line -> line.startsWith("### ")).count());
  }

  private static List<DynamicTest> examples(Path page) throws IOException {
    List<String> lines = Files.readAllLines(page);
    List<Block> blocks = blocks(lines);
    if (System.getProperty("golden.update") != null) {
      lines = update(lines, blocks);
      Files.writeString(page, String.join("\n", lines) + "\n");
      blocks = blocks(lines);
    }
    List<DynamicTest> tests = new ArrayList<>();
    String events = "";
    for (int i = 0; i < blocks.size(); i++) {
      Block block = blocks.get(i);
      if (block.isEvents()) {
        events = block.events(lines);
      } else if (block.language.equals("rql")) {
        tests.add(example(page, lines, events, block, answerTo(blocks, i)));
      }
    }
    return tests;
  }

  private static DynamicTest example(
      Path page, List<String> lines, String events, Block query, Optional<Block> answer) {
    List<String> all = lines;
    return DynamicTest.dynamicTest(
        "line " + query.first,
        () ->
            assertThat(run(terminalWidth(all), events, query.text(all)))
                .as("%s:%d", page, query.first)
                .isEqualTo(answer.orElseThrow().text(all)));
  }

  private static Optional<Block> answerTo(List<Block> blocks, int query) {
    return query + 1 < blocks.size() && blocks.get(query + 1).language.equals("text")
        ? Optional.of(blocks.get(query + 1))
        : Optional.empty();
  }

  private static List<Block> blocks(List<String> lines) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher file = EVENTS_FILE.matcher(lines.get(i));
      if (file.matches()) {
        blocks.add(new Block(FILE + file.group(1), i, i));
      } else if (lines.get(i).startsWith("```")) {
        int end = i + 1;
        while (!lines.get(end).equals("```")) {
          end++;
        }
        blocks.add(new Block(lines.get(i).substring(3), i + 1, end));
        i = end;
      }
    }
    return blocks;
  }

  private static List<String> update(List<String> lines, List<Block> blocks) throws IOException {
    List<String> updated = new ArrayList<>();
    String events = "";
    int copied = 0;
    for (int i = 0; i < blocks.size(); i++) {
      Block block = blocks.get(i);
      if (block.isEvents()) {
        events = block.events(lines);
      } else if (block.language.equals("rql") && answerTo(blocks, i).isPresent()) {
        Block answer = blocks.get(i + 1);
        updated.addAll(lines.subList(copied, answer.first));
        run(terminalWidth(lines), events, block.text(lines)).lines().forEach(updated::add);
        copied = answer.end;
      }
    }
    updated.addAll(lines.subList(copied, lines.size()));
    return updated;
  }

  private static OptionalInt terminalWidth(List<String> lines) {
    return lines.stream()
        .map(TERMINAL::matcher)
        .filter(Matcher::matches)
        .mapToInt(matcher -> Integer.parseInt(matcher.group(1)))
        .findFirst();
  }

  /** Returns results and errors in one stream, in the order of their output. */
  private static String run(OptionalInt terminalWidth, String events, String statements)
      throws IOException {
    Path file = Files.createTempFile("events", ".ndjson");
    try {
      Files.writeString(file, events);
      StringWriter shown = new StringWriter();
      PrintWriter screen = new PrintWriter(shown);
      StandardStreams streams =
          new StandardStreams(
              InputStream.nullInputStream(),
              screen,
              screen,
              false,
              terminalWidth.isPresent(),
              false,
              () -> terminalWidth.orElse(StandardStreams.DEFAULT_WIDTH));
      ShellOptions options = ShellFixture.options(file, OutputFormat.ALIGNED, statements);
      new RqlShell(options, streams, new ShellFixture.FakeClock()).run();
      return shown.toString().replace("\r\n", "\n");
    } finally {
      Files.delete(file);
    }
  }
}
