// SPDX-License-Identifier: Apache-2.0
package io.retroscope.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A check that the tests can fail: applies each break under {@code src/test/mutations} to a copy of
 * the sources and runs the tests that it names against the copy, each in a separate process. Needs
 * {@code git}, but no network. Runs with {@code -Pmutation}.
 */
@Tag("mutation")
class MutationTest {
  private static final Path SOURCES = Path.of("src", "main", "java");
  private static final Path TEST_SOURCES = Path.of("src", "test", "java");
  private static final Path MUTATIONS = Path.of("src", "test", "mutations");
  private static final Path MODULE = Path.of("hlc-core");
  private static final long TIMEOUT_SECONDS = 120;

  @TempDir Path work;

  /** The outcome of a break. */
  private enum Outcome {
    CAUGHT,
    SURVIVED,
    DOES_NOT_APPLY,
    DOES_NOT_COMPILE,
    TEST_NOT_FOUND,
    TEST_DID_NOT_END
  }

  @Test
  void breaks_applied_failTheTestsThatTheyName() throws Exception {
    List<Mutation> mutations = Mutation.in(MUTATIONS, TEST_SOURCES);
    assertThat(mutations).isNotEmpty();
    String[] all =
        mutations.stream().flatMap(m -> m.tests().stream()).distinct().toArray(String[]::new);
    Path plain = copy("plain");
    assertThat(compile(plain)).as("the sources compile").isTrue();
    assertThat(run(plain, all)).as("the tests pass without any break; see %s", plain).isZero();
    List<String> failures = new ArrayList<>();
    System.out.printf("%-40s %-18s %7s  %s%n", "break", "outcome", "seconds", "test");
    for (Mutation mutation : mutations) {
      long start = System.nanoTime();
      Outcome outcome = outcome(mutation);
      String tests =
          mutation.tests().stream()
              .map(test -> test.substring(test.lastIndexOf('.') + 1))
              .collect(Collectors.joining(", "));
      System.out.printf(
          "%-40s %-18s %7.1f  %s%n",
          mutation.name(), outcome, (System.nanoTime() - start) / 1e9, tests);
      if (outcome != Outcome.CAUGHT) {
        failures.add(mutation.name() + " " + outcome + ": " + mutation.breaks());
      }
    }
    assertThat(failures).isEmpty();
  }

  private Outcome outcome(Mutation mutation) throws IOException, InterruptedException {
    Path copy = copy(mutation.name());
    if (!apply(mutation.patch(), copy)) {
      return Outcome.DOES_NOT_APPLY;
    }
    if (!compile(copy)) {
      return Outcome.DOES_NOT_COMPILE;
    }
    boolean survived = false;
    for (String test : mutation.tests()) {
      switch (run(copy, test)) {
        case SelectedTests.FAILED -> {}
        case SelectedTests.PASSED -> survived = true;
        case -1 -> {
          return Outcome.TEST_DID_NOT_END;
        }
        default -> {
          return Outcome.TEST_NOT_FOUND;
        }
      }
    }
    return survived ? Outcome.SURVIVED : Outcome.CAUGHT;
  }

  /** A directory with the sources at the same path as in the repository. */
  private Path copy(String name) throws IOException {
    Path root = work.resolve(name);
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path to = root.resolve(MODULE).resolve(file);
        Files.createDirectories(to.getParent());
        Files.copy(file, to);
      }
    }
    return root;
  }

  private static boolean apply(Path patch, Path root) throws IOException, InterruptedException {
    ProcessBuilder git =
        new ProcessBuilder(
            "git", "apply", "--whitespace=nowarn", patch.toAbsolutePath().toString());
    // Otherwise git would look for a repository around the copy, and skip files that are not part
    // of it.
    git.environment().put("GIT_CEILING_DIRECTORIES", root.getParent().toRealPath().toString());
    return execute(git.directory(root.toFile()), root.resolve("git.txt")) == 0;
  }

  private static boolean compile(Path root) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-nowarn", "-proc:none", "--release", "17"));
    arguments.addAll(List.of("-cp", classPath(), "-d", classes(root).toString()));
    try (Stream<Path> files = Files.walk(root.resolve(MODULE))) {
      files
          .map(Path::toString)
          .filter(file -> file.endsWith(".java") && !file.endsWith("module-info.java"))
          .forEach(arguments::add);
    }
    try (var messages = Files.newOutputStream(root.resolve("javac.txt"))) {
      String[] all = arguments.toArray(String[]::new);
      return ToolProvider.getSystemJavaCompiler().run(null, messages, messages, all) == 0;
    }
  }

  private static Path classes(Path root) {
    return root.resolve("classes");
  }

  /** The child's exit value; -1 if it did not end. */
  private static int run(Path root, String... tests) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classes(root) + File.pathSeparator + classPath()));
    command.add(SelectedTests.class.getName());
    command.addAll(Arrays.asList(tests));
    return execute(new ProcessBuilder(command), root.resolve("tests.txt"));
  }

  private static int execute(ProcessBuilder builder, Path output)
      throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    if (process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      return process.exitValue();
    }
    process.destroyForcibly().waitFor();
    return -1;
  }

  /** The tests' class path without the classes under test, which the copies replace. */
  private static String classPath() {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Path original = Path.of("target", "classes").toAbsolutePath();
    return Arrays.stream(all.split(File.pathSeparator))
        .filter(entry -> !Path.of(entry).toAbsolutePath().normalize().equals(original))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
