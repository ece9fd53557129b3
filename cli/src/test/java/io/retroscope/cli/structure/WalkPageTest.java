// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A test of the types that {@code docs/internals/walk.md} names for the way of a query. */
class WalkPageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `((?:rql|blocks)[\\w.]*)` \\| (.*) \\|$");
  private static final Pattern TYPE = Pattern.compile("`(\\w+)`");
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

  private static List<MatchResult> rows() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/internals/walk.md"));
    return ROW.matcher(page).results().toList();
  }

  private static List<String> types(MatchResult row) {
    return TYPE.matcher(row.group(2)).results().map(type -> type.group(1)).toList();
  }
}
