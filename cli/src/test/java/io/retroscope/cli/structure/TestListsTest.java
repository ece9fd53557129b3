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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A test of the lists of test classes in {@code .ci}: a name that fits nothing has no effect. */
class TestListsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern RUN_BY_LONG_TESTS =
      Pattern.compile(
          "<testClassesDirectory>\\$\\{project.basedir}/\\.\\./([\\w-]+)/target/test-classes<");

  @Test
  void longTests_areEachOneClassOfTheirModules() throws IOException {
    List<Path> classes = classes();
    List<String> modules = modulesOfLongTests();
    assertThat(patterns("long-tests"))
        .isNotEmpty()
        .allSatisfy(
            pattern ->
                assertThat(matches(pattern, classes))
                    .as(pattern)
                    .singleElement()
                    .satisfies(path -> assertThat(modules).contains(module(path))));
  }

  @Test
  void testsThatAreNotQuick_exist() throws IOException {
    List<Path> classes = classes();
    assertThat(patterns("not-quick"))
        .isNotEmpty()
        .allSatisfy(pattern -> assertThat(matches(pattern, classes)).as(pattern).isNotEmpty());
  }

  /** The modules whose classes the module {@code long-tests} runs. */
  private static List<String> modulesOfLongTests() throws IOException {
    return RUN_BY_LONG_TESTS
        .matcher(Files.readString(ROOT.resolve("long-tests/pom.xml")))
        .results()
        .map(module -> module.group(1))
        .toList();
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
