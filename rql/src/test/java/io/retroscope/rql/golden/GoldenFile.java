// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The blocks of one {@code .rqltest} file. */
record GoldenFile(Path path, List<Block> blocks) {
  sealed interface Block {}

  /** Comments and blank lines. */
  record Text(String line) implements Block {}

  record Log(List<String> lines) implements Block {}

  record Case(String title, String query, String expected, int lineNumber) implements Block {}

  static GoldenFile read(Path path) throws IOException {
    List<String> lines = Files.readAllLines(path);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.equals("log")) {
        int end = find(lines, i + 1, "end", path);
        blocks.add(new Log(lines.subList(i + 1, end)));
        i = end;
      } else if (line.startsWith("case ")) {
        int rule = find(lines, i + 1, "----", path);
        int end = find(lines, rule + 1, "end", path);
        blocks.add(
            new Case(
                line.substring(5).strip(),
                String.join("\n", lines.subList(i + 1, rule)),
                String.join("\n", lines.subList(rule + 1, end)),
                i + 1));
        i = end;
      } else if (line.isBlank() || line.startsWith("#")) {
        blocks.add(new Text(line));
      } else {
        throw new IllegalArgumentException(
            path + ":" + (i + 1) + ": neither log nor case: " + line);
      }
    }
    return new GoldenFile(path, blocks);
  }

  private static int find(List<String> lines, int from, String what, Path path) {
    for (int i = from; i < lines.size(); i++) {
      if (lines.get(i).equals(what)) {
        return i;
      }
    }
    throw new IllegalArgumentException(path + ":" + from + ": no \"" + what + "\" follows");
  }

  /** Returns the file's original text. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (Block block : blocks) {
      if (block instanceof Text line) {
        text.append(line.line()).append('\n');
      } else if (block instanceof Log log) {
        text.append("log\n");
        log.lines().forEach(line -> text.append(line).append('\n'));
        text.append("end\n");
      } else if (block instanceof Case example) {
        text.append("case ").append(example.title()).append('\n');
        text.append(example.query()).append("\n----\n").append(example.expected());
        text.append(example.expected().isEmpty() ? "end\n" : "\nend\n");
      }
    }
    return text.toString();
  }
}
