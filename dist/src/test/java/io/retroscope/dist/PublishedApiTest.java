// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that no public signature of a published module changes unnoticed. {@code mvn verify -pl
 * dist -am -Dtest=PublishedApiTest -Dsurefire.failIfNoSpecifiedTests=false -Dapi.update} writes
 * them anew, into {@code api.txt} of each module; review the difference.
 */
class PublishedApiTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** What javap says of a file of its own, and members that only the compiler sees. */
  private static final Pattern UNWANTED =
      Pattern.compile("Compiled from .*|.*\\$(VALUES|values|SwitchMap|deserializeLambda).*");

  static List<Path> publishedModules() throws IOException {
    List<Path> modules = new ArrayList<>(List.of(ROOT.resolve("hlc-core"), ROOT.resolve("junit")));
    try (Stream<Path> folders = Files.list(ROOT.resolve("instrumentation"))) {
      folders
          .filter(folder -> Files.exists(folder.resolve("pom.xml")))
          // The classes of these are renamed ones of other modules.
          .filter(folder -> !folder.toString().endsWith("-javax"))
          .sorted()
          .forEach(modules::add);
    }
    return modules;
  }

  @ParameterizedTest
  @MethodSource("publishedModules")
  void signatures_areThoseWrittenDown(Path module) throws IOException {
    Path classes = module.resolve("target/classes");
    assumeTrue(Files.isDirectory(classes), "this module is not a part of this build");
    String signatures = signatures(classes);
    Path written = module.resolve("api.txt");
    if (System.getProperty("api.update") != null) {
      Files.writeString(written, signatures);
    }
    assertThat(signatures).isEqualTo(Files.exists(written) ? Files.readString(written) : "");
  }

  private static String signatures(Path classes) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-protected", "-cp", classes.toString()));
    try (Stream<Path> files = Files.walk(classes)) {
      files
          .map(file -> classes.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.matches(".*(-info|\\$\\d+)\\.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .forEach(arguments::add);
    }
    assertThat(arguments).hasSizeGreaterThan(3);
    StringWriter text = new StringWriter();
    ToolProvider.findFirst("javap")
        .orElseThrow()
        .run(new PrintWriter(text), new PrintWriter(text), arguments.toArray(String[]::new));
    StringBuilder published = new StringBuilder();
    StringBuilder type = new StringBuilder();
    for (String line : text.toString().lines().toList()) {
      if (!UNWANTED.matcher(line).matches()) {
        type.append(line).append('\n');
      }
      if (line.equals("}")) {
        if (type.toString().startsWith("public ")) {
          published.append(type);
        }
        type.setLength(0);
      }
    }
    return published.toString();
  }
}
