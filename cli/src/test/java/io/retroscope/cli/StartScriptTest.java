// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.examples.stage.DemoOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a copy of the script {@code retroscope} in the root folder, with fake tools. */
class StartScriptTest {
  private static final Path SCRIPT = Path.of("..", "retroscope");

  @TempDir Path folder;

  private Path root;
  private Path tools;
  private final Map<String, String> environment = new LinkedHashMap<>();

  @BeforeEach
  void layOut() throws IOException {
    root = Files.createDirectories(folder.resolve("check out"));
    tools = Files.createDirectories(folder.resolve("tools"));
    Files.copy(SCRIPT, root.resolve("retroscope"));
    executable(root.resolve("retroscope"));
    source("rql/src/main/java/A.java");
    source("pom.xml");
    environment.put("PATH", tools + ":/usr/bin:/bin");
    environment.put("JAVA_HOME", folder.resolve("jdk").toString());
    jdk("17");
    tool(folder.resolve("jdk/bin/javac"), "");
    maven("3.8.7", buildsTheJars());
  }

  @Test
  void start_firstTime_buildsAndRunsWithTheArguments() throws Exception {
    Ended ended = start("import", "two words");
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.out()).isEqualTo("ran: import|two words|\n");
    assertThat(ended.err()).contains("building (once").contains("  Retroscope RQL [1/1]\n");
  }

  @Test
  void start_localeThatKnowsAsciiOnly_runsInUtf8() throws Exception {
    tool(
        folder.resolve("jdk/bin/java"),
        "case $1 in -cp) echo \"locale $LC_ALL\"; exit ;; esac\n" + settings("17"));
    assertThat(start().out()).isEqualTo("locale C.UTF-8\n");
    environment.put("LANG", "C");
    assertThat(start().out()).isEqualTo("locale C.UTF-8\n");
    environment.put("LC_ALL", "de_DE.ISO-8859-1");
    assertThat(start().out()).isEqualTo("locale de_DE.ISO-8859-1\n");
  }

  @Test
  void start_ofEachCommand_hasItsLibrariesAlone() throws Exception {
    tool(
        folder.resolve("jdk/bin/java"),
        "case $1 in -cp) echo \"${2##*/}\"; exit ;; esac\n" + settings("17"));
    for (String command : List.of("server", "store")) {
      assertThat(start(command, "demo").out()).isEqualTo("of-server.jar\n");
    }
    assertThat(start("demo", "zookeeper").out()).isEqualTo("of-demo.jar\n");
    for (String command : List.of("shell", "import", "logs", "--help", "unheard-of")) {
      assertThat(start(command, "server").out()).isEqualTo("of-client.jar\n");
    }
    assertThat(start().out()).isEqualTo("of-client.jar\n");
  }

  @Test
  void start_noCollectorNamed_choosesOneForThroughputUnlessItServes() throws Exception {
    tool(
        folder.resolve("jdk/bin/java"),
        "case \" $*\" in *' -cp '*) echo \"$*\" | grep -o 'Use[A-Za-z0-9]*GC'; exit 0 ;; esac\n"
            + settings("17"));
    assertThat(start("shell", "app.log").out()).isEqualTo("UseParallelGC\n");
    assertThat(start("server").out()).isEmpty();
    assertThat(start("demo", "zookeeper").out()).isEmpty();
    environment.put("RETROSCOPE_JAVA_OPTS", "-Xmx1g -XX:+UseSerialGC");
    assertThat(start("shell").out()).isEqualTo("UseSerialGC\n");
    environment.remove("RETROSCOPE_JAVA_OPTS");
    environment.put("JAVA_TOOL_OPTIONS", "-XX:+UseZGC");
    assertThat(start("shell").out()).isEmpty();
  }

  @Test
  void start_again_buildsNothing() throws Exception {
    start();
    assertThat(start().err()).isEmpty();
  }

  @Test
  void start_durationThatTheDemonstrationRefuses_isRefusedBeforeTheBuild() throws Exception {
    String tooMany = String.valueOf(DemoOptions.MAX_SECONDS + 1);
    for (String wrong : List.of("0", tooMany, "-1", "soon", "")) {
      Ended ended = start("demo", "geode", "--seconds", wrong);
      assertThat(ended.exitCode()).as(wrong).isEqualTo(2);
      assertThat(ended.err())
          .isEqualTo("error: seconds must be 1 to 3600, not %s\n".formatted(wrong));
      assertThat(start("demo", "kafka", "--quiet", "--seconds=" + wrong).err())
          .isEqualTo(ended.err());
    }
    String most = String.valueOf(DemoOptions.MAX_SECONDS);
    assertThat(start("demo", "kafka", "--seconds", most).err()).contains("building");
    assertThat(start("simulate", "drift", "--seconds", tooMany).err()).contains("building");
  }

  @Test
  void start_fromElsewhereThroughLinks_findsItsFolder() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("rs"), root.resolve("retroscope"));
    Path second = Files.createSymbolicLink(folder.resolve("rs2"), Path.of("rs"));
    assertThat(run(folder, second.toString(), "x").out()).isEqualTo("ran: x|\n");
    assertThat(link).exists();
  }

  @Test
  void start_sourceChanged_buildsAgain() throws Exception {
    start();
    Path source = root.resolve("rql/src/main/java/A.java");
    Files.setLastModifiedTime(source, FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
    assertThat(start().err()).contains("building");
  }

  @Test
  void start_onlyATestChanged_buildsNothing() throws Exception {
    start();
    Path test = source("rql/src/test/java/ATest.java");
    Files.setLastModifiedTime(test, FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
    assertThat(start().err()).isEmpty();
  }

  @Test
  void start_noJava_saysSo() throws Exception {
    environment.remove("JAVA_HOME");
    environment.put("PATH", onlyBasicTools());
    assertFails("Java is missing: install JDK 17 or newer, or set JAVA_HOME.");
  }

  @Test
  void start_javaHomeWithoutJava_saysSo() throws Exception {
    environment.put("JAVA_HOME", "/nowhere");
    assertFails("JAVA_HOME is /nowhere, but there is no bin/java in it.");
  }

  @Test
  void start_oldJava_saysSo() throws Exception {
    for (String version : List.of("1.8", "11")) {
      jdk(version);
      assertFails(
          "JDK 17 or newer is needed; %s/jdk/bin/java is Java %s (set JAVA_HOME)."
              .formatted(folder, version));
    }
  }

  @Test
  void start_runtimeWithoutCompiler_saysSo() throws Exception {
    Files.delete(folder.resolve("jdk/bin/javac"));
    assertFails(
        folder
            + "/jdk/bin/java has no compiler: building needs a JDK, not a runtime only (set"
            + " JAVA_HOME).");
  }

  @Test
  void start_runtimeWithoutCompilerWhenBuilt_runs() throws Exception {
    start();
    Files.delete(folder.resolve("jdk/bin/javac"));
    assertThat(start().exitCode()).isZero();
  }

  @Test
  void start_noMaven_saysSo() throws Exception {
    environment.put("PATH", onlyBasicTools());
    assertFails("Maven is missing: install Maven 3.8 or newer.");
  }

  @Test
  void start_oldMaven_saysSo() throws Exception {
    maven("3.6.3", buildsTheJars());
    assertFails("Maven 3.8 or newer is needed; this is 3.6.3 (" + tools.resolve("mvn") + ").");
  }

  @Test
  void start_newerMaven_isTaken() throws Exception {
    maven("4.0.0", buildsTheJars());
    assertThat(start().exitCode()).isZero();
  }

  @Test
  void start_buildFails_showsTheErrorsAndBuildsAgainNextTime() throws Exception {
    maven("3.8.7", "echo '[INFO] fine'\necho '[ERROR] A.java does not compile'\nexit 1");
    Ended ended = start();
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err())
        .contains("[ERROR] A.java does not compile\n")
        .endsWith("retroscope: the build failed; the whole log is " + root + "/target/build.log\n");
    maven("3.8.7", buildsTheJars());
    assertThat(start().exitCode()).isZero();
  }

  @Test
  void start_diskFull_saysSo() throws Exception {
    maven("3.8.7", "echo '[ERROR] java.io.IOException: No space left on device'\nexit 1");
    Ended ended = start();
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err())
        .endsWith(
            "retroscope: the disk is full: the build needs about 500 MB for itself and its"
                + " libraries.\n");
  }

  @Test
  void start_noNetwork_saysSo() throws Exception {
    maven("3.8.7", "echo '[ERROR] Could not transfer artifact x:y'\nexit 1");
    assertThat(start().err())
        .contains("Could not transfer artifact x:y")
        .endsWith("is there a network (or a proxy to set up)?\n");
  }

  @Test
  void start_lockOfADeadBuild_isTakenOver() throws Exception {
    Files.createDirectories(root.resolve("target/build.lock"));
    Files.writeString(root.resolve("target/build.lock/pid"), "999999999\n");
    assertThat(start().exitCode()).isZero();
    assertThat(root.resolve("target/build.lock")).doesNotExist();
  }

  @Test
  void start_commandsExitCode_isItsOwn() throws Exception {
    start();
    tool(folder.resolve("jdk/bin/java"), "case $1 in -cp) exit 3 ;; esac\n" + settings("17"));
    assertThat(start().exitCode()).isEqualTo(3);
  }

  private void assertFails(String sentence) throws Exception {
    Ended ended = start();
    assertThat(ended).isEqualTo(new Ended(1, "", "retroscope: " + sentence + "\n"));
  }

  private Path source(String path) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "x");
    return Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
  }

  private void jdk(String version) throws IOException {
    String run =
        """
        case $1 in
          -cp)
            until [ "$1" = io.retroscope.cli.Retroscope ]; do shift; done
            shift
            printf 'ran: '; printf '%s|' "$@"; echo
            exit
            ;;
        esac
        """;
    tool(folder.resolve("jdk/bin/java"), run + settings(version));
  }

  private String settings(String version) {
    return """
        echo '    java.home = %s/jdk' >&2
        echo '    java.specification.version = %s' >&2
        """
        .formatted(folder, version);
  }

  private void maven(String version, String build) throws IOException {
    tool(
        tools.resolve("mvn"),
        "case $1 in -v) echo 'Apache Maven %s (abc)'; exit ;; esac\n%s".formatted(version, build));
  }

  private static String buildsTheJars() {
    return """
        echo '[INFO] Building Retroscope   RQL      [1/1]'
        mkdir -p cli/target/lib cli/target/lists
        touch cli/target/lib/retroscope.jar
        for list in client server demo; do
          printf %s "lib/a.jar:lib/of-$list.jar" > cli/target/lists/$list
        done""";
  }

  /** A path with the standard tools, but with neither Java nor Maven. */
  private String onlyBasicTools() throws IOException {
    Path basic = Files.createDirectories(folder.resolve("basic"));
    for (String name :
        List.of(
            "bash", "env", "dirname", "readlink", "sed", "head", "find", "grep", "mkdir", "cat")) {
      Path real =
          Files.exists(Path.of("/bin", name)) ? Path.of("/bin", name) : Path.of("/usr/bin", name);
      Files.createSymbolicLink(basic.resolve(name), real);
    }
    return basic.toString();
  }

  private static void tool(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    executable(file);
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Ended start(String... arguments) throws IOException, InterruptedException {
    return run(folder, root.resolve("retroscope").toString(), arguments);
  }

  private Ended run(Path workingFolder, String command, String... arguments)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("/usr/bin/env", "bash", command));
    line.addAll(List.of(arguments));
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(workingFolder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the script does not end: " + Files.readString(err));
    }
    return new Ended(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  private record Ended(int exitCode, String out, String err) {}
}
