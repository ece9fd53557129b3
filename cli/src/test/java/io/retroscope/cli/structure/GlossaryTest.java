// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A test that the names in {@code docs/glossary.md} are those of the code. */
class GlossaryTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern CODE_SPAN = Pattern.compile("`([\\w.]+)(?:\\([\\w, ]*\\))?`");
  private static final Pattern NOT_CODE =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)+'",
          Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");

  @Test
  void namesInCodeStyle_occurInTheCode() throws IOException {
    String glossary = Files.readString(ROOT.resolve("docs/glossary.md"));
    List<String> spans = CODE_SPAN.matcher(glossary).results().map(span -> span.group(1)).toList();
    Set<String> names = namesInCode();

    assertThat(spans).hasSizeGreaterThan(20);
    assertThat(spans.stream().filter(span -> !names.containsAll(List.of(span.split("\\.", -1)))))
        .isEmpty();
  }

  /** The names in the main code of all modules, without comments and strings. */
  private static Set<String> namesInCode() throws IOException {
    Set<String> names = new HashSet<>();
    ProjectFiles.in(ROOT).stream()
        .map(file -> ROOT.relativize(file).toString())
        .filter(file -> file.endsWith(".java") && file.contains("src/main/java/"))
        .forEach(file -> addNames(ROOT.resolve(file), names));
    return names;
  }

  private static void addNames(Path file, Set<String> names) {
    try {
      String code = NOT_CODE.matcher(Files.readString(file)).replaceAll(" ");
      NAME.matcher(code).results().map(MatchResult::group).forEach(names::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
