// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A test that each public type that a service may use says which threads may use it. Enumerations,
 * annotations and exceptions are immutable without saying so.
 */
class DocumentedThreadsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern FOR_SERVICES =
      Pattern.compile("(hlc-core|contracts|instrumentation/[\\w-]+)/src/main/java/.*\\.java");
  private static final Pattern TYPE =
      Pattern.compile("(?m)^public ([a-z-]+ )*(class|interface|record) (\\w+)");
  private static final Pattern THREADS = Pattern.compile("thread|Thread|[Ii]mmutable");

  @Test
  void publicTypes_ofServices_sayWhichThreadsMayUseThem() throws IOException {
    List<String> silent = new ArrayList<>();
    int count = 0;
    for (Path file : files()) {
      String source = Files.readString(file);
      Matcher type = TYPE.matcher(source);
      if (type.find() && !type.group(3).endsWith("Exception")) {
        count++;
        if (!THREADS.matcher(comment(source.substring(0, type.start()))).find()) {
          silent.add(type.group(3));
        }
      }
    }
    assertThat(silent).isEmpty();
    assertThat(count).isGreaterThan(60);
  }

  private static List<Path> files() throws IOException {
    return ProjectFiles.in(ROOT).stream()
        .filter(file -> FOR_SERVICES.matcher(ROOT.relativize(file).toString()).matches())
        .toList();
  }

  /** The last documentation comment of a text. */
  private static String comment(String text) {
    return Pattern.compile("(?s)/\\*\\*.*?\\*/")
        .matcher(text)
        .results()
        .reduce((first, second) -> second)
        .map(MatchResult::group)
        .orElse("");
  }
}
