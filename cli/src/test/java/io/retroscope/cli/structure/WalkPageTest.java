// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A test of the types that {@code docs/internals/walk.md} names for the way of a query. */
class WalkPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `((?:rql|blocks)[\\w.]*)` \\| (.*) \\|$");
  private static final Pattern TYPE = Pattern.compile("`(\\w+)`");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]+`");
  private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Z]\\w*[a-z]\\w*");
  private static final Pattern DECLARATION =
      Pattern.compile("(?m)^ *[\\w ]*\\b(?:class|record|interface|enum) (\\w+)");
  private static final int MOST = 40;

  @Test
  void typesOnTheWay_areInTheirPackages() throws IOException {
    List<MatchResult> rows = rows();
    for (MatchResult row : rows) {
      String module = row.group(1).replaceAll("\\..*", "");
      Path folder =
          ROOT.resolve(module)
              .resolve("src/main/java/io/retroscope")
              .resolve(row.group(1).replace('.', '/'));
      for (String type : types(row)) {
        assertThat(folder.resolve(type + ".java")).isRegularFile();
      }
    }
    assertThat(rows).isNotEmpty();
  }

  @Test
  void typesOnTheWay_areFew() throws IOException {
    assertThat(rows().stream().flatMap(row -> types(row).stream()))
        .doesNotHaveDuplicates()
        .hasSizeLessThanOrEqualTo(MOST);
  }

  /**
   * Each name with small letters between backquotes, also within {@code Applied(SUBTRACT, ...)}.
   */
  @Test
  void namesOfTypes_areThoseOfTheCode() throws IOException {
    Set<String> declared = new HashSet<>();
    for (String module : List.of("hlc-core", "blocks", "rql")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          DECLARATION
              .matcher(Files.readString(file))
              .results()
              .forEach(type -> declared.add(type.group(1)));
        }
      }
    }
    List<String> named =
        CODE.matcher(page().replace("```", ""))
            .results()
            .flatMap(code -> NAME.matcher(code.group()).results())
            .map(MatchResult::group)
            .toList();
    assertThat(named).hasSizeGreaterThan(MOST);
    assertThat(declared).containsAll(named);
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/internals/walk.md"));
  }

  private static List<MatchResult> rows() throws IOException {
    return ROW.matcher(page()).results().toList();
  }

  private static List<String> types(MatchResult row) {
    return TYPE.matcher(row.group(2)).results().map(type -> type.group(1)).toList();
  }
}
