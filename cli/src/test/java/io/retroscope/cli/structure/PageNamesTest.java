// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A test that the classes and modules exist that pages and the results of benchmarks name in
 * commands that are too long for a test. CONTRIBUTING is left out, because its walkthroughs name
 * classes that a reader writes.
 */
class PageNamesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** {@code -Dtest='A,B#method*'}, or a test in backquotes. */
  private static final Pattern TESTS =
      Pattern.compile("-Dtest=(?:'([^']+)'|(\\S+))|`([A-Z]\\w+Test)(?:#[\\w*]+)?`");

  private static final Pattern QUALIFIED =
      Pattern.compile("io\\.retroscope(?:\\.\\w+)*\\.([A-Z]\\w*)");
  private static final Pattern MODULES = Pattern.compile("mvn [^\\n]*?-pl ([\\w/,-]+)");

  /** The third field of a line, which begins with a class. */
  private static final Pattern MEASURED =
      Pattern.compile("(?m)^\\w+,(?:\"[^\"]*\"|[^,]*),\"?([A-Z]\\w+)");

  private static final Set<String> CLASSES = new TreeSet<>();
  private static final List<Path> PAGES = new ArrayList<>();

  @BeforeAll
  static void find() throws IOException {
    for (Path file : ProjectFiles.in(ROOT)) {
      String name = String.valueOf(file.getFileName());
      if (name.endsWith(".java")) {
        CLASSES.add(name.replace(".java", ""));
      } else if (name.endsWith(".md") && !name.equals("CONTRIBUTING.md")) {
        PAGES.add(file);
      }
    }
  }

  @Test
  void classes_thatCommandsName_exist() throws IOException {
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (Path page : PAGES) {
      for (String name : classes(Files.readString(page))) {
        found++;
        if (!CLASSES.contains(name)) {
          missing.add(ROOT.relativize(page) + ": " + name);
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(50);
  }

  private static Set<String> classes(String page) {
    Set<String> names = new TreeSet<>();
    TESTS
        .matcher(page)
        .results()
        .flatMap(test -> Stream.of(test.group(1), test.group(2), test.group(3)))
        .filter(list -> list != null)
        .flatMap(list -> Stream.of(list.split(",")))
        .map(name -> name.replaceAll("#.*", ""))
        .filter(name -> name.matches("\\w+"))
        .forEach(names::add);
    QUALIFIED.matcher(page).results().forEach(type -> names.add(type.group(1)));
    return names;
  }

  @Test
  void modules_thatCommandsName_exist() throws IOException {
    for (Path page : PAGES) {
      MODULES
          .matcher(Files.readString(page))
          .results()
          .flatMap(list -> Stream.of(list.group(1).split(",")))
          .forEach(
              module ->
                  assertThat(ROOT.resolve(module).resolve("pom.xml")).as("%s", page).exists());
    }
  }

  @Test
  void results_nameClassesThatMeasureThem() throws IOException {
    String goals = Files.readString(ROOT.resolve("benchmarks/results/goals.csv"));
    List<String> named = MEASURED.matcher(goals).results().map(field -> field.group(1)).toList();
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(CLASSES).containsAll(named);
  }
}
