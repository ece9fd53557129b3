// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A test that the packages of the engine know only those below them on its page. */
class EnginePackagesTest {
  private static final Path ENGINE = Path.of("src/main/java/io/retroscope/rql/engine");
  private static final Pattern PICTURE = Pattern.compile("(?s)<pre>(.*?)</pre>");
  private static final Pattern FLOOR = Pattern.compile("(?m)^ \\* +([a-z]+)(?: +\\| ([a-z]+))?  ");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/");
  private static final Pattern USE =
      Pattern.compile("io\\.retroscope\\.rql\\.engine(?:\\.([a-z]\\w*))?\\.[A-Z]\\w*");

  @Test
  void packages_useOnlyThoseBelowThem() throws IOException {
    Map<String, Integer> floors = floors();
    List<String> upward = new ArrayList<>();
    for (Path file : sources()) {
      String own = packageOf(file);
      for (MatchResult use : USE.matcher(code(file)).results().toList()) {
        String used = use.group(1) == null ? "engine" : use.group(1);
        if (!used.equals(own) && floors.get(used) <= floors.get(own)) {
          upward.add(file.getFileName() + " uses " + use.group());
        }
      }
    }
    assertThat(upward).isEmpty();
  }

  @Test
  void page_hasAllPackages() throws IOException {
    assertThat(sources().stream().map(EnginePackagesTest::packageOf).distinct())
        .containsExactlyInAnyOrderElementsOf(floors().keySet());
  }

  /** The number of the line on which the page has each package, from above. */
  private static Map<String, Integer> floors() throws IOException {
    String page = Files.readString(ENGINE.resolve("package-info.java"));
    String picture = PICTURE.matcher(page).results().findFirst().orElseThrow().group(1);
    Map<String, Integer> floors = new LinkedHashMap<>();
    for (MatchResult floor : FLOOR.matcher(picture).results().toList()) {
      int number = floors.size();
      floors.put(floor.group(1), number);
      if (floor.group(2) != null) {
        floors.put(floor.group(2), number);
      }
    }
    return floors;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ENGINE)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  private static String packageOf(Path file) {
    return file.getParent().getFileName().toString();
  }

  private static String code(Path file) throws IOException {
    return COMMENT.matcher(Files.readString(file)).replaceAll("");
  }
}
