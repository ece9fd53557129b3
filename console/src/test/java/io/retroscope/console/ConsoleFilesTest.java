// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleFilesTest {
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<groupId>org.webjars.npm</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*"
              + "<version>([0-9.]+)</version>\\s*<scope>runtime</scope>\\s*<exclusions>\\s*<exclusion>"
              + "\\s*<groupId>\\*</groupId>\\s*<artifactId>\\*</artifactId>");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^(?:import|export)\\b[^'\"\\n]*?from ?['\"]([^'\"]+)['\"]");

  private final ConsoleFiles files = new ConsoleFiles(Map.of());

  @Test
  void libraries_areThoseOfThePom_eachPinnedAndWithoutTransitiveOnes() throws IOException {
    Map<String, String> declared = new TreeMap<>();
    Matcher dependency = DEPENDENCY.matcher(Files.readString(Path.of("pom.xml")));
    while (dependency.find()) {
      declared.put(dependency.group(1), dependency.group(2));
    }
    Map<String, String> known = new TreeMap<>();
    for (ConsoleLibrary library : ConsoleLibrary.values()) {
      known.put(library.jar(), library.version());
    }
    assertThat(declared).isEqualTo(known);
  }

  /** Two versions of a library that has state, such as that of the editor, break one another. */
  @ParameterizedTest
  @EnumSource
  void library_hasOneVersionOnTheClassPath(ConsoleLibrary library) throws IOException {
    String pom = "META-INF/maven/org.webjars.npm/" + library.jar() + "/pom.properties";
    assertThat(Collections.list(getClass().getClassLoader().getResources(pom))).hasSize(1);
    assertThat(getClass().getResource(library.entryResource())).isNotNull();
  }

  /** A module that the map lacks would stop the page. */
  @ParameterizedTest
  @EnumSource
  void library_importsOnlyModulesOfTheMap(ConsoleLibrary library) throws IOException {
    String module = ReportPage.resource(library.entryResource());
    List<String> imported = new ArrayList<>();
    Matcher found = IMPORT.matcher(module);
    while (found.find()) {
      if (!found.group(1).startsWith(".")) {
        imported.add("\"" + found.group(1) + "\":");
      }
    }
    for (String name : imported) {
      assertThat(ConsoleLibrary.importMap()).contains(name);
    }
  }

  @Test
  void importMap_hasPathsOfFiles() {
    Matcher path =
        Pattern.compile(":\"/console/([^\"]+[^/\"])\"").matcher(ConsoleLibrary.importMap());
    int count = 0;
    while (path.find()) {
      assertThat(files.find(path.group(1))).as(path.group(1)).isPresent();
      count++;
    }
    assertThat(count).isEqualTo(ConsoleLibrary.values().length);
  }

  @Test
  void index_hasTheMapWhoseHashIsInThePolicy() {
    String page = new String(files.index().bytes(), StandardCharsets.UTF_8);
    Matcher map = Pattern.compile("(?s)<script type=\"importmap\">(.*?)</script>").matcher(page);
    assertThat(map.find()).isTrue();
    assertThat(files.policy())
        .contains("script-src 'self' '" + ReportPage.hash(map.group(1)) + "';")
        .startsWith("default-src 'none';")
        .contains("frame-ancestors 'none'", "require-trusted-types-for 'script'");
  }

  @Test
  void file_gzipped_hasTheSameBytes() throws IOException {
    ConsoleFile file = files.find("lib/lit-html/3.3.2/lit-html.js").orElseThrow();
    byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(file.gzipped())).readAllBytes();
    assertThat(unpacked).isEqualTo(file.bytes());
    assertThat(file.mediaType()).startsWith("text/javascript");
    assertThat(file.isPinned()).isTrue();
    assertThat(files.find("timeline/diagram.js").orElseThrow().isPinned()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lit-html/3.3.2/../3.3.2/lit-html.js",
        "lit-html/3.3.2/../../1/secret.js",
        "lit-html/3.3.2//lit-html.js",
        "lit-html/3.3.2/package.json",
      })
  void pathInALibrary_thatIsNoPlainNameOfAModule_isNoResource(String path) {
    assertThat(ConsoleLibrary.resource(path)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nothing.js",
        "../console/report.css",
        "ConsoleFiles.class",
        "index.html",
        "timeline/",
        "timeline//diagram.js",
        "./report.css",
        "lib/lit-html/3.3.1/lit-html.js",
        "lib/lit-html/3.3.2/../3.3.2/lit-html.js",
        "lib/lit-html/3.3.2/LICENSE",
        "lib/jquery/3.0.0/jquery.js",
        "lib/lit-html/3.3.2//etc/passwd.js",
        "lib/report.css",
      })
  void otherName_hasNoFile(String name) {
    assertThat(files.find(name)).isEmpty();
  }
}
