// SPDX-License-Identifier: Apache-2.0
package io.retroscope.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A deliberate break of the code, kept as a patch, and the tests that must detect it.
 *
 * @param tests {@code <class>#<method>} each, the class with its package
 * @param breaks the effect, in one sentence
 */
record Mutation(String name, Path patch, List<String> tests, String breaks) {
  private static final String SUFFIX = ".patch";
  private static final String TEST = "# test:";
  private static final String BREAKS = "# breaks:";

  static List<Mutation> in(Path directory, Path testSources) throws IOException {
    List<Mutation> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList()) {
        all.add(read(file, testSources));
      }
    }
    return all;
  }

  private static Mutation read(Path patch, Path testSources) throws IOException {
    List<String> tests = new ArrayList<>();
    String breaks = "";
    for (String line : Files.readAllLines(patch)) {
      if (line.startsWith(TEST)) {
        for (String test : line.substring(TEST.length()).split(",", -1)) {
          tests.add(qualified(test.strip(), testSources));
        }
      } else if (line.startsWith(BREAKS)) {
        breaks = line.substring(BREAKS.length()).strip();
      }
    }
    String file = patch.getFileName().toString();
    assertThat(tests).as("%s names its tests", file).isNotEmpty();
    assertThat(breaks).as("%s says what it breaks", file).isNotEmpty();
    return new Mutation(
        file.substring(0, file.length() - SUFFIX.length()), patch, List.copyOf(tests), breaks);
  }

  /** The test with its class's package, which the patch may omit. */
  private static String qualified(String test, Path testSources) throws IOException {
    String type = test.substring(0, test.indexOf('#'));
    if (type.contains(".")) {
      return test;
    }
    try (Stream<Path> files = Files.walk(testSources)) {
      Path source = files.filter(file -> file.endsWith(type + ".java")).findFirst().orElseThrow();
      String[] names = testSources.relativize(source).getParent().toString().split("[/\\\\]", -1);
      return String.join(".", Arrays.asList(names)) + "." + test;
    }
  }
}
