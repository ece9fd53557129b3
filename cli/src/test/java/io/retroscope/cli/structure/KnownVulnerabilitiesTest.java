// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.cli.structure.AdvisoryDatabase.Finding;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The check of the shipped libraries against a database of known vulnerabilities, which {@code
 * .ci/vulnerabilities} runs, and its own tests.
 */
class KnownVulnerabilitiesTest {
  private static final Path ROOT = Path.of("..");
  private static final Path SAMPLE = Path.of("src/test/resources/advisories/sample.json");
  private static final Path ACCEPTED = ROOT.resolve(".ci/accepted-vulnerabilities");
  private static final Pattern PURL = Pattern.compile("pkg:maven/([^/]+)/([^@]+)@([^?#]+).*");

  @TempDir private Path folder;

  /** What the programs ship, as {@code group:artifact version}, and the parts of no such form. */
  private record Shipped(Set<String> artifacts, List<String> others) {
    static Shipped read(Path sbom) throws IOException {
      JsonNode root = JsonMapper.builder().build().readTree(Files.readAllBytes(sbom));
      Shipped shipped = new Shipped(new TreeSet<>(), new ArrayList<>());
      for (JsonNode component : root.path("components")) {
        String purl =
            URLDecoder.decode(component.path("purl").asString(""), StandardCharsets.UTF_8);
        Matcher parts = PURL.matcher(purl);
        if (!parts.matches()) {
          shipped.others.add(component.path("name").asString(""));
        } else if (!parts.group(1).equals("io.retroscope")) {
          shipped.artifacts.add(
              "%s:%s %s".formatted(parts.group(1), parts.group(2), parts.group(3)));
        }
      }
      return shipped;
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "osv.database", matches = ".+")
  void shipped_databaseGiven_hasNoKnownVulnerability() throws IOException {
    Shipped shipped = Shipped.read(ROOT.resolve("target/retroscope-sbom.json"));
    assertThat(shipped.artifacts).as("the SBOM's artifacts").hasSizeGreaterThan(20);
    AdvisoryDatabase database =
        AdvisoryDatabase.read(Path.of(System.getProperty("osv.database", "")));
    System.out.printf(
        "%d artifacts, %d advisories, the last of %s; not in any Maven repository: %s%n",
        shipped.artifacts.size(), database.size(), database.lastChange(), shipped.others);

    assertThat(unaccepted(shipped.artifacts, database, Files.readAllLines(ACCEPTED))).isEmpty();
  }

  /** The findings and, since an exception must not outlive its reason, the unused exceptions. */
  private static List<String> unaccepted(
      Set<String> artifacts, AdvisoryDatabase database, List<String> acceptedLines) {
    Set<String> accepted = new HashSet<>();
    for (String line : acceptedLines) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] words = line.strip().split("\\s+", 3);
        assertThat(words).as("an identifier, an artifact and a reason: %s", line).hasSize(3);
        accepted.add(words[0] + " " + words[1]);
      }
    }
    Set<String> unused = new HashSet<>(accepted);
    List<String> found = new ArrayList<>();
    for (String artifact : artifacts) {
      String[] words = artifact.split(" ", 2);
      for (Finding finding : database.of(words[0], words[1])) {
        String key = finding.id() + " " + finding.artifact();
        unused.remove(key);
        if (!accepted.contains(key)) {
          found.add(finding.toString());
        }
      }
    }
    unused.forEach(key -> found.add("accepted, but not found: " + key));
    return found;
  }

  @ParameterizedTest
  @CsvSource({
    "io.airlift:aircompressor, 0.27, CVE-2025-67721",
    "io.airlift:aircompressor, 2.0.2, CVE-2025-67721",
    "io.airlift:aircompressor, 2.0.3, ''",
    "io.airlift:aircompressor-v3, 3.3, CVE-2025-67721",
    "io.airlift:aircompressor-v3, 3.4, ''",
    "example:two-ranges, 0.9, ''",
    "example:two-ranges, 1.0-beta, ''",
    "example:two-ranges, 1.0, EXAMPLE-2",
    "example:two-ranges, 1.9.99, EXAMPLE-2",
    "example:two-ranges, 1.10, ''",
    "example:two-ranges, 2.0, EXAMPLE-2",
    "example:two-ranges, 2.5, EXAMPLE-2",
    "example:two-ranges, 2.5.1, ''",
    "example:listed, 1.0.Final, EXAMPLE-3",
    "example:listed, 1.1.Final, ''",
    "example:says-nothing, 7, EXAMPLE-4",
    "example:withdrawn, 1, ''",
    "example:of-npm, 1, ''",
    "example:unknown, 1, ''",
  })
  void of_version_isThatOfTheRanges(String artifact, String version, String id) throws IOException {
    assertThat(AdvisoryDatabase.read(SAMPLE).of(artifact, version))
        .extracting(Finding::id)
        .isEqualTo(id.isEmpty() ? List.of() : List.of(id));
  }

  @Test
  void read_fileFolderOrZip_areTheSame() throws IOException {
    Files.copy(SAMPLE, folder.resolve("sample.json"));
    Path zip = folder.resolve("all.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry("sample.json"));
      Files.copy(SAMPLE, out);
    }
    for (Path database : List.of(SAMPLE, folder, zip)) {
      AdvisoryDatabase read = AdvisoryDatabase.read(database);
      assertThat(read.size()).isEqualTo(4);
      assertThat(read.lastChange()).isEqualTo("2026-03-01T00:00:00Z");
      assertThat(read.of("io.airlift:aircompressor", "0.27")).hasSize(1);
    }
  }

  @Test
  void read_databaseThatCanFindNothing_isRefused() throws IOException {
    Path npm = folder.resolve("npm.json");
    Files.writeString(npm, "[{\"id\":\"X\",\"affected\":[{\"package\":{\"ecosystem\":\"npm\"}}]}]");
    assertThatThrownBy(() -> AdvisoryDatabase.read(npm))
        .isInstanceOf(IOException.class)
        .hasMessage(npm + " has no advisory of the ecosystem Maven");
    Path cut = Files.writeString(folder.resolve("cut.json"), "[{\"id\":");
    assertThatThrownBy(() -> AdvisoryDatabase.read(cut))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(cut + " is not JSON");
  }

  @Test
  void unaccepted_exceptions_needAReasonAndAFinding() throws IOException {
    AdvisoryDatabase database = AdvisoryDatabase.read(SAMPLE);
    Set<String> artifacts = Set.of("io.airlift:aircompressor 0.27", "example:listed 1.1.Final");
    String accepted = "CVE-2025-67721 io.airlift:aircompressor the format is not used";

    assertThat(unaccepted(artifacts, database, List.of()))
        .singleElement()
        .asString()
        .startsWith("CVE-2025-67721 io.airlift:aircompressor 0.27: ");
    assertThat(unaccepted(artifacts, database, List.of("# reasons", "", accepted))).isEmpty();
    assertThat(unaccepted(artifacts, database, List.of(accepted, "EXAMPLE-3 example:listed why")))
        .containsExactly("accepted, but not found: EXAMPLE-3 example:listed");
    assertThatThrownBy(() -> unaccepted(artifacts, database, List.of("EXAMPLE-3 example:listed")))
        .isInstanceOf(AssertionError.class);
  }
}
