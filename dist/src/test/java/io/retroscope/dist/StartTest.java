// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retroscope.dist.UserMachine.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The command as it starts from the archives. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "runs a shell script")
class StartTest {
  private static final String QUESTION =
      "SELECT working FROM ring WHEN COUNT n IN NODES : (working@n) >= 2;";
  private static final Ended VERSION =
      new Ended(0, "retroscope " + System.getProperty("dist.version") + "\n", "");
  private static final String NOTICE = "retroscope: keeping loaded classes";

  @TempDir Path folder;
  private UserMachine machine;

  @BeforeEach
  void prepare() throws IOException {
    machine = new UserMachine(folder);
  }

  @Test
  void shell_withoutMaven_answersAndKeepsItsClasses() throws Exception {
    answersAndKeepsItsClasses(Path.of(System.getProperty("java.home")));
  }

  /** A newer JDK, if one is installed beside this one. */
  @Test
  @Tag("slow")
  void shell_onANewerJdk_answersAndKeepsItsClasses() throws Exception {
    Optional<Path> newer;
    try (Stream<Path> beside = Files.list(Path.of(System.getProperty("java.home")).getParent())) {
      newer =
          beside
              .filter(home -> Files.isExecutable(home.resolve("bin/java")))
              .filter(home -> home.getFileName().toString().contains("25"))
              .findFirst();
    }
    assumeTrue(newer.isPresent(), "there is no newer JDK beside this one");
    Path cache = answersAndKeepsItsClasses(newer.get());

    Files.writeString(cache, "damaged");
    Ended third = ask(Archive.CLIENT, Map.of("JAVA_HOME", newer.get().toString()));
    assertThat(third.err()).isEmpty();
    assertThat(third.out()).contains("{a: true, b: true}");
    assertThat(third.exitCode()).isZero();
  }

  /** Returns the file of the classes. */
  private Path answersAndKeepsItsClasses(Path javaHome) throws Exception {
    Ended first = ask(Archive.CLIENT, Map.of("JAVA_HOME", javaHome.toString()));
    assertThat(first.err()).startsWith(NOTICE).hasLineCount(1);
    assertThat(first.out()).contains("{a: true, b: true}");
    assertThat(first.exitCode()).isZero();
    List<Path> caches;
    try (Stream<Path> files = Files.list(machine.home().resolve(".cache/retroscope"))) {
      caches = files.toList();
    }
    boolean isAheadOfTime = javaHome.toString().contains("25");
    String ending = isAheadOfTime ? ".aot" : ".jsa";
    assertThat(caches).hasSize(1).allMatch(file -> file.toString().endsWith(ending));

    Path loaded = folder.resolve("loaded.txt");
    Ended second =
        ask(
            Archive.CLIENT,
            Map.of(
                "JAVA_HOME",
                javaHome.toString(),
                "RETROSCOPE_JAVA_OPTS",
                "-XX:TieredStopAtLevel=1 -Xlog:class+load:file=" + loaded));
    assertThat(second).isEqualTo(new Ended(0, first.out(), ""));
    assertThat(UserMachine.read(loaded).lines())
        .anyMatch(
            line ->
                line.contains("io.retroscope.cli.Retroscope ") && line.contains("shared objects"))
        // An ahead-of-time cache keeps no classes of old class files.
        .anyMatch(
            line ->
                line.contains("picocli.CommandLine ")
                    && line.contains(isAheadOfTime ? "picocli-" : "shared objects"));
    return caches.get(0);
  }

  /** One test, because each start of a JVM takes a second. */
  @Test
  void client_cacheSwitchedOff_makesNone_collectorIsForThroughputUnlessOneIsNamed()
      throws Exception {
    assertThat(collector("")).contains("Using Parallel");
    assertThat(collector("-XX:+UseSerialGC")).doesNotContain("Using Parallel");
    assertThat(machine.home().resolve(".cache")).doesNotExist();
  }

  private String collector(String option) throws Exception {
    Path log = folder.resolve("gc.txt");
    Ended answer =
        version(
            Map.of(
                "RETROSCOPE_CLASS_CACHE",
                "off",
                "RETROSCOPE_JAVA_OPTS",
                option + " -Xlog:gc:file=" + log));
    assertThat(answer).isEqualTo(VERSION);
    return UserMachine.read(log);
  }

  @Test
  void client_homeThatCannotBeWritten_answersWithoutCache() throws Exception {
    Files.writeString(machine.home().resolve(".cache"), "a file, not a folder");
    assertThat(version(Map.of())).isEqualTo(VERSION);
  }

  @Test
  void client_throughALink_answers() throws Exception {
    Path link = folder.resolve("tools/retroscope");
    Files.createSymbolicLink(link, Archive.CLIENT.file("bin/retroscope"));
    Ended version = machine.run(withoutCache(), List.of(link.toString(), "--version"));
    assertThat(version.out()).isEqualTo(VERSION.out());
  }

  @ParameterizedTest
  @EnumSource(Archive.class)
  void demo_isRefusedInOneSentence(Archive archive) throws Exception {
    assertThat(start(archive, "demo", "zookeeper")).isEqualTo(missing("demonstrations", "demo"));
  }

  @ParameterizedTest
  @EnumSource(Archive.class)
  void simulate_isRefusedInOneSentence(Archive archive) throws Exception {
    assertThat(start(archive, "simulate", "drift", "--runs", "2"))
        .isEqualTo(missing("simulations", "simulate"));
  }

  private Ended start(Archive archive, String... args) throws Exception {
    assumeTrue(archive.exists(), "the image is made with -Pdist");
    List<String> command = new ArrayList<>();
    command.add(archive.file("bin/retroscope").toString());
    command.addAll(List.of(args));
    return machine.run(withoutCache(), command);
  }

  private static Ended missing(String programs, String name) {
    return new Ended(
        2,
        "",
        "error: the %s are not in this archive: run ./retroscope %s in the source tree\n"
            .formatted(programs, name));
  }

  @Test
  void server_inTheClientsArchive_isRefused() throws Exception {
    Ended server =
        machine.run(java(), List.of(Archive.CLIENT.file("bin/retroscope").toString(), "server"));
    assertThat(server)
        .isEqualTo(
            new Ended(
                1,
                "",
                "retroscope: the command server is not in the client's archive:"
                    + " use retroscope-VERSION.tar.gz.\n"));
  }

  @Test
  void command_olderJava_isRefused() throws Exception {
    Path old = folder.resolve("jdk-11");
    Files.createDirectories(old.resolve("bin"));
    Files.createSymbolicLink(
        old.resolve("bin/java"), Path.of(System.getProperty("java.home"), "bin", "java"));
    Files.writeString(old.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
    Ended refused =
        machine.run(
            Map.of("JAVA_HOME", old.toString()),
            List.of(Archive.CLIENT.file("bin/retroscope").toString(), "--version"));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .isEqualTo(
            "retroscope: Java 17 or newer is needed; %s/bin/java is Java 11.0.2 (set JAVA_HOME).\n"
                .formatted(old));
  }

  @Test
  void command_withoutJava_saysWhatToInstall() throws Exception {
    Ended refused =
        machine.run(
            Map.of(), List.of(Archive.CLIENT.file("bin/retroscope").toString(), "--version"));
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .isEqualTo("retroscope: Java is missing: install Java 17 or newer, or set JAVA_HOME.\n");
  }

  @Test
  void image_withoutAnyJava_answers() throws Exception {
    assumeTrue(Archive.IMAGE.exists(), "the image is made with -Pdist");
    assertThat(ask(Archive.IMAGE, Map.of()).out()).contains("{a: true, b: true}");
  }

  private Ended ask(Archive archive, Map<String, String> environment) throws Exception {
    return machine.run(
        environment,
        List.of(
            archive.file("bin/retroscope").toString(),
            "shell",
            archive.file("share/first-start.ndjson").toString(),
            "-c",
            QUESTION));
  }

  /** The client's shortest command. */
  private Ended version(Map<String, String> more) throws Exception {
    Map<String, String> environment = new HashMap<>(java());
    environment.putAll(more);
    return machine.run(
        environment, List.of(Archive.CLIENT.file("bin/retroscope").toString(), "--version"));
  }

  private static Map<String, String> withoutCache() {
    return Map.of("JAVA_HOME", System.getProperty("java.home"), "RETROSCOPE_CLASS_CACHE", "off");
  }

  private static Map<String, String> java() {
    return Map.of("JAVA_HOME", System.getProperty("java.home"));
  }
}
