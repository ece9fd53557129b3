// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.w3c.dom.Element;

/**
 * Follows the first test of {@code docs/testing.md} to the letter, in an empty folder and a process
 * of its own, with the class path that the page's POM makes.
 */
@Timeout(120)
class FollowedTestingGuideTest {
  private static final int MAX_LINES_OF_TEST_CODE = 10;

  @TempDir Path folder;

  /** The page's blocks that follow the name of a file, or another text. */
  private static String block(String before, String language) throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/testing.md"))) {
      root = root.getParent();
    }
    String page = Files.readString(root.resolve("docs/testing.md"));
    Matcher block =
        Pattern.compile(
                Pattern.quote("`" + before + "`") + "[^`]*\n\n```" + language + "\n(.*?)^```$",
                Pattern.DOTALL | Pattern.MULTILINE)
            .matcher(page);
    assertThat(block.find()).as("a block after \"%s\"", before).isTrue();
    return block.group(1);
  }

  private Path write(String name, String language) throws Exception {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, block(name, language));
  }

  @Test
  void page_followedInAnEmptyFolder_failsWithTheDiagramThatItShows() throws Exception {
    assertIsOfThisBuild(write("pom.xml", "xml"));
    String rules = "com/example/lease.rql";
    Path resource = write("src/test/resources/" + rules, "rql");
    Path source = write("src/test/java/com/example/LeaseTest.java", "java");
    assertThat(testCode(Files.readAllLines(source))).isLessThanOrEqualTo(MAX_LINES_OF_TEST_CODE);

    // What Maven does with these files.
    Path classes = folder.resolve("target/test-classes");
    Files.createDirectories(classes.resolve("com/example"));
    Files.copy(resource, classes.resolve(rules));
    compile(source, classes);
    String printed = run(classes, "com.example.LeaseTest");

    String expected = block("mvn test", "text").strip();
    String pattern =
        Arrays.stream(expected.split(Pattern.quote("..."), -1))
            .map(Pattern::quote)
            .collect(Collectors.joining("[^\n]*"));
    assertThat(printed.strip()).matches(pattern);
    Path recorded = onlyFolder(folder.resolve("target/retroscope"));
    assertThat(recorded.getFileName().toString()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-.*Z");
    assertThat(recorded.resolve("com.example.LeaseTest.handover.ndjson")).exists();
    assertThat(recorded.resolve("com.example.LeaseTest.handover.html"))
        .content()
        .startsWith("<!DOCTYPE html>")
        .contains("1 rule: 1 broken.");
  }

  private static Path onlyFolder(Path around) throws Exception {
    try (Stream<Path> folders = Files.list(around)) {
      List<Path> found = folders.toList();
      assertThat(found).hasSize(1);
      return found.get(0);
    }
  }

  /** The lines of the class, without its annotation and its braces. */
  private static long testCode(List<String> source) {
    return source.subList(source.indexOf("@Rules(\"lease.rql\")") + 1, source.size()).stream()
        .filter(line -> !line.isBlank() && !line.strip().equals("}"))
        .count();
  }

  /** The versions on the page are those that are built, and that are tested. */
  private static void assertIsOfThisBuild(Path pom) throws Exception {
    Element project =
        DocumentBuilderFactory.newDefaultInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getDocumentElement();
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("bom/pom.xml"))) {
      root = root.getParent();
    }
    String page = Files.readString(pom);
    String bom = Files.readString(root.resolve("bom/pom.xml"));
    String parent = Files.readString(root.resolve("pom.xml"));
    assertThat(project.getElementsByTagName("dependency").getLength()).isEqualTo(2);
    assertThat(bom).contains("<artifactId>" + after(page, "io.retroscope", "artifactId") + "<");
    assertThat(bom).contains("<version>" + after(page, "io.retroscope", "version") + "<");
    assertThat(parent)
        .contains("<junit.version>" + after(page, "org.junit.jupiter", "version") + "<")
        .contains(
            "<maven-surefire-plugin.version>"
                + after(page, "maven-surefire-plugin", "version")
                + "<");
  }

  /** The content of the first element of a name after a text. */
  private static String after(String pom, String text, String element) {
    return Pattern.compile("<" + element + ">([^<]*)<")
        .matcher(pom.substring(pom.indexOf(text)))
        .results()
        .map((MatchResult found) -> found.group(1))
        .findFirst()
        .orElseThrow();
  }

  private static void compile(Path source, Path classes) throws Exception {
    StringWriter messages = new StringWriter();
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      List<String> flags = List.of("-cp", classPath(), "-d", classes.toString());
      var sources = files.getJavaFileObjects(source);
      boolean compiled = compiler.getTask(messages, files, null, flags, null, sources).call();
      assertThat(compiled).as(messages.toString()).isTrue();
    }
  }

  /**
   * The part of this class path that the page's POM has. The extension's jar contains the engine;
   * in a build that has not made the jar yet, the engine is beside it.
   */
  private static String classPath() {
    List<String> entries =
        List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    boolean packaged = entries.stream().anyMatch(FollowedTestingGuideTest::isJarOfTheExtension);
    String engine = packaged ? "" : "|rql|recordings|console|blocks";
    String folders = ".*/(hlc-core|junit" + engine + ")/target/classes/?";
    String jars =
        ".*/(hlc-core|retroscope-junit|junit-jupiter|junit-platform|opentest4j|apiguardian"
            + engine
            + (packaged ? "" : "|antlr4-runtime|jackson|aircompressor|re2j")
            + ")[^/]*\\.jar";
    return entries.stream()
        .filter(entry -> entry.replace(File.separatorChar, '/').matches(folders + "|" + jars))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isJarOfTheExtension(String entry) {
    return entry.matches(".*retroscope-junit-[\\d.]+\\.jar");
  }

  private String run(Path classes, String test) throws Exception {
    Path launcher = folder.resolve("launcher/io/retroscope/junit");
    Files.createDirectories(launcher);
    for (String type : List.of("TestProcess", "TestProcess$1")) {
      String name = type + ".class";
      try (var in = FollowedTestingGuideTest.class.getResourceAsStream(name)) {
        Files.copy(in, launcher.resolve(name));
      }
    }
    String path =
        String.join(
            File.pathSeparator,
            classes.toString(),
            folder.resolve("launcher").toString(),
            classPath());
    ProcessBuilder command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-Dfile.encoding=UTF-8",
                "-cp",
                path,
                TestProcess.class.getName(),
                test)
            .directory(folder.toFile());
    command.environment().keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    Path output = folder.resolve("output");
    Process process = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output);
  }
}

/** A process that runs a test class, and prints the messages of the tests that failed. */
final class TestProcess {
  private TestProcess() {}

  public static void main(String[] args) {
    TestExecutionListener listener =
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            result.getThrowable().ifPresent(failure -> System.out.println(failure.getMessage()));
          }
        };
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(args[0]))
                .build(),
            listener);
  }
}
