// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A block of a page that shows a terminal. Its first line is {@code console}, or {@code console
 * test} or {@code console server} if a test runs it, the latter with a log server:
 *
 * <pre>
 *   $ ./retroscope export events.ndjson \        a command, continued after a backslash,
 *       --format csv
 *   > more input                                 or, in here-documents, after a greater-than sign
 *   hlc,node,log,pt,seq,kind,name,value          its exact output, in which three dots match any
 *   ...                                          text within a line, and any lines if alone
 * </pre>
 */
record ConsoleBlock(PageBlock block, List<Step> steps) {
  /**
   * A command and its output.
   *
   * @param output the lines, without terminators
   */
  record Step(String command, List<String> output) {
    /** Whether a text is the expected output of the step. */
    boolean prints(String text) {
      StringBuilder expected = new StringBuilder();
      for (String outputLine : output) {
        expected.append(outputLine.equals("...") ? "(?s:.*)" : anyTextAtDots(outputLine) + "\\n");
      }
      return Pattern.matches(expected.toString(), text);
    }

    private static String anyTextAtDots(String line) {
      StringBuilder pattern = new StringBuilder();
      for (String part : line.split(Pattern.quote("..."), -1)) {
        pattern.append(pattern.isEmpty() ? "" : ".*").append(Pattern.quote(part));
      }
      return pattern.toString();
    }
  }

  @Override
  public String toString() {
    return block.toString();
  }

  /** The blocks of all pages whose first line is this. */
  static List<ConsoleBlock> all(Path root, String language) throws IOException {
    return PageBlock.all(root).stream()
        .filter(block -> block.language().equals(language))
        .map(ConsoleBlock::of)
        .toList();
  }

  static ConsoleBlock of(PageBlock block) {
    return new ConsoleBlock(block, steps(block.text().lines().toList()));
  }

  private static List<Step> steps(List<String> lines) {
    List<Step> steps = new ArrayList<>();
    StringBuilder command = new StringBuilder();
    List<String> output = new ArrayList<>();
    boolean continued = false;
    for (String line : lines) {
      if (line.startsWith("$ ")) {
        addStep(steps, command, output);
        command.append(line.substring(2));
      } else if (continued) {
        command.append('\n').append(line);
      } else if (line.startsWith("> ") && output.isEmpty()) {
        command.append('\n').append(line.substring(2));
      } else {
        output.add(line);
      }
      continued = output.isEmpty() && line.endsWith("\\");
    }
    addStep(steps, command, output);
    return steps;
  }

  private static void addStep(List<Step> steps, StringBuilder command, List<String> output) {
    if (!command.isEmpty()) {
      steps.add(new Step(command.toString(), List.copyOf(output)));
    }
    command.setLength(0);
    output.clear();
  }
}
