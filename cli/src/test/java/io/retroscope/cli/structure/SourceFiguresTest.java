package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that comments and pages stay within the limit of idioms, and how they are counted. */
class SourceFiguresTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Idioms per 1,000 words; Caffeine has .17, Brave .03. */
  private static final double MAX_IDIOM_RATE = 0.5;

  @TempDir Path folder;

  @Test
  void tree_hasFewIdioms() throws IOException {
    SourceFigures figures = SourceFigures.of(ROOT);

    assertThat(figures.idiomRate())
        .as("idioms per 1,000 words, at %s", figures.places())
        .isLessThan(MAX_IDIOM_RATE);
  }

  @Test
  void idioms_areFoundInCommentsOnly() throws IOException {
    Files.writeString(
        folder.resolve("A.java"),
        """
        /**
         * Nobody
         * goes on.
         */
        final class A {
          String told = "what is told"; // asked {@code who}
        }
        """);
    Files.writeString(folder.resolve("page.md"), "`what is` code stands here\n");

    assertThat(SourceFigures.of(folder).places())
        .extracting(place -> place.replaceAll(": \\.\\.\\..*", ""))
        .containsExactlyInAnyOrder(
            "A.java:2: who", "A.java:3: go on", "A.java:6: asked", "page.md:1: stand");
  }
}
