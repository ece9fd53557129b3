// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static io.retroscope.dist.YamlPath.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Tests that the files for the project's host agree with the build. */
class HostingTest {
  private static final Path ROOT = Path.of("..");
  private static final Path FOLDER = ROOT.resolve(".github");

  /** A fresh machine needs two commands: one for the demonstration, one for the tests. */
  @Test
  void readme_hasTheCommandsOfAFreshMachine() throws IOException {
    assertThat(ROOT.resolve(".ci/run")).content().endsWith("mvn -B -ntp verify\n");
    assertThat(ROOT.resolve("README.md"))
        .content()
        .contains("./retroscope demo zookeeper", "`mvn verify`");
  }

  private static Object yaml(String file) throws IOException {
    return new Load(LoadSettings.builder().build())
        .loadFromString(Files.readString(FOLDER.resolve(file)));
  }

  /** The commands of a job. */
  private static List<String> runs(Object workflow, String job) {
    List<String> runs = new ArrayList<>();
    for (Object step : (List<?>) at(workflow, "jobs", job, "steps")) {
      if (step instanceof Map<?, ?> map && map.get("run") instanceof String run) {
        runs.add(run);
      }
    }
    return runs;
  }

  @Test
  void files_all_areYaml() throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".yml")).toList()) {
        assertThat(yaml(FOLDER.relativize(file).toString())).as("%s", file).isInstanceOf(Map.class);
      }
    }
  }

  @Test
  void verify_eachSupportedJdk_runsTheWholeCheck() throws IOException {
    Object workflow = yaml("workflows/verify.yml");
    assertThat(at(workflow, "jobs", "linux", "strategy", "matrix", "java"))
        .isEqualTo(List.of(17, 21, 25));
    assertThat(runs(workflow, "linux")).containsExactly(".ci/run");
    assertThat(ROOT.resolve(".ci/run")).isExecutable();
    assertThat(Files.readString(ROOT.resolve(".ci/run"))).contains("mvn -B -ntp verify");
  }

  /** The profile has the warnings that a usual build leaves out. */
  @Test
  void verify_checks_areThoseOfTheReleaseToo() throws IOException {
    assertThat(runs(yaml("workflows/verify.yml"), "checks"))
        .containsExactly("mvn -B -ntp test-compile -Pchecks,slow");
    assertThat(Files.readString(ROOT.resolve(".ci/release")))
        .containsPattern("mvn .*,checks verify");
    assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<id>checks</id>");
  }

  /** Modules and classes that the others name must exist. */
  @Test
  void verify_otherSystems_testModulesThatExist() throws IOException {
    String run = String.join("\n", runs(yaml("workflows/verify.yml"), "others"));
    String modules = run.replaceFirst("(?s).* -pl (\\S+) .*", "$1");
    assertThat(modules.split(","))
        .isNotEmpty()
        .allMatch(module -> Files.exists(ROOT.resolve(module + "/pom.xml")));
    assertThat(ROOT.resolve("hlc-core/src/test/java/io/retroscope/sink/FileSinkTest.java"))
        .exists();
    assertThat(
            ROOT.resolve(
                "recordings/src/test/java/io/retroscope/recordings/file/EventFileSetTest.java"))
        .exists();
  }

  @Test
  void release_aTag_makesSignedFiles() throws IOException {
    Object workflow = yaml("workflows/release.yml");
    assertThat(at(workflow, "on", "push", "tags")).isEqualTo(List.of("v*"));
    assertThat(runs(workflow, "release")).first().isEqualTo(".ci/release --sign");
    assertThat(ROOT.resolve(".ci/release")).isExecutable();
  }

  /** What must not be raised is what the root pom explains. */
  @Test
  void updates_ignored_areAboveTheVersionsOfTheBuild() throws IOException {
    String pom = Files.readString(ROOT.resolve("pom.xml"));
    List<?> ignored = (List<?>) at(yaml("dependabot.yml"), "updates", 0, "ignore");
    assertThat(ignored.toString()).contains(">=2.43.0").contains(">=1.29.0");
    assertThat(pom)
        .contains("<errorprone.version>2.42.0<")
        .contains("<google-java-format.version>1.28.0<");
  }

  @Test
  void bugTemplate_command_exists() throws IOException {
    String command = "bug-report";
    assertThat(Files.readString(FOLDER.resolve("ISSUE_TEMPLATE/bug.yml")))
        .contains("`retroscope " + command + "`");
    assertThat(Files.readString(ROOT.resolve("docs/commands.md")))
        .containsPattern(Pattern.compile("(?m)^\\$ \\./retroscope " + command + "$"));
  }
}
