// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A test of the lists of test classes in {@code .ci}: a name that fits nothing has no effect. */
class TestListsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final List<String> OF_LONG_TESTS =
      List.of("hlc-core", "blocks", "log-server", "rql", "recordings");

  @Test
  void longTests_areEachOneClassOfTheirModules() throws IOException {
    List<Path> classes = classes();
    assertThat(patterns("long-tests"))
        .isNotEmpty()
        .allSatisfy(
            pattern ->
                assertThat(matches(pattern, classes))
                    .as(pattern)
                    .singleElement()
                    .satisfies(path -> assertThat(OF_LONG_TESTS).contains(module(path))));
  }

  @Test
  void testsThatAreNotQuick_exist() throws IOException {
    List<Path> classes = classes();
    assertThat(patterns("not-quick"))
        .isNotEmpty()
        .allSatisfy(pattern -> assertThat(matches(pattern, classes)).as(pattern).isNotEmpty());
  }

  private static List<String> patterns(String list) throws IOException {
    return Files.readAllLines(ROOT.resolve(".ci").resolve(list)).stream()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  private static List<Path> classes() throws IOException {
    return ProjectFiles.in(ROOT).stream()
        .map(ROOT::relativize)
        .filter(path -> path.toString().matches(".*src/test/java/.*Test\\.java"))
        .toList();
  }

  private static List<Path> matches(String pattern, List<Path> classes) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    return classes.stream().filter(matcher::matches).toList();
  }

  private static String module(Path path) {
    return path.getName(0).toString();
  }
}
