// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A test of the map of the packages in {@code docs/architecture.md}. */
class PackageMapTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path SOURCES = Path.of("src", "main", "java");
  private static final String PREFIX = "io.retroscope";
  private static final Pattern SECTION =
      Pattern.compile("(?ms)^## Map of the packages$(.*?)(?=^## |\\z)");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w.]+)` \\| +(\\S.*) \\|$");

  @Test
  void map_namesEachPackageOnce() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    List<String> named =
        SECTION
            .matcher(page)
            .results()
            .flatMap(section -> ROW.matcher(section.group(1)).results())
            .map(row -> PREFIX + "." + row.group(1))
            .toList();

    assertThat(named).containsExactlyInAnyOrderElementsOf(packages());
  }

  @Test
  void map_hasOneLinePerPackage() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    MatchResult section = SECTION.matcher(page).results().findFirst().orElseThrow();
    long rows = section.group(1).lines().filter(line -> line.startsWith("| `")).count();

    assertThat(ROW.matcher(section.group(1)).results().count()).isEqualTo(rows);
  }

  /** The packages of all modules that contain more than their own description. */
  private static SortedSet<String> packages() throws IOException {
    return ProjectFiles.in(ROOT).stream()
        .map(ROOT::relativize)
        .filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
        .map(PackageMapTest::packageOf)
        .filter(name -> name.startsWith(PREFIX))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Empty for a file that is not main code. */
  private static String packageOf(Path file) {
    for (int i = 0; i + SOURCES.getNameCount() < file.getNameCount() - 1; i++) {
      int from = i + SOURCES.getNameCount();
      if (file.subpath(i, from).equals(SOURCES)) {
        return file.subpath(from, file.getNameCount() - 1).toString().replace('/', '.');
      }
    }
    return "";
  }
}
