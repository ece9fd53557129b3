// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the source stays within its limits, and how the figures are counted. */
class SourceFiguresTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Idioms per 1,000 words; Caffeine has .17, Brave .03. */
  private static final double MAX_IDIOM_RATE = 0.5;

  /** Methods aim at 20 lines. */
  private static final int MAX_METHOD_LINES = 50;

  /** A class of more than 15 fields should have a reason. */
  private static final int MAX_FIELDS = 25;

  private static SourceFigures figures;

  @TempDir Path folder;

  @BeforeAll
  static void read() throws IOException {
    figures = SourceFigures.of(ROOT);
  }

  @Test
  void tree_hasFewIdioms() {
    assertThat(figures.idiomRate())
        .as("idioms per 1,000 words, at %s", figures.places())
        .isLessThan(MAX_IDIOM_RATE);
  }

  @Test
  void tree_isWithinItsLimits() {
    SoftAssertions all = new SoftAssertions();
    assertWithin(all, figures.longestMethod(), MAX_METHOD_LINES, "lines of a method");
    assertWithin(all, figures.mostFields(), MAX_FIELDS, "fields of a class");
    all.assertThat(figures.cyclicPackageCount()).as("packages in a cycle").isZero();
    all.assertAll();
  }

  private static void assertWithin(
      SoftAssertions all, SourceFigures.Largest largest, int limit, String name) {
    all.assertThat(largest.count()).as("%s: %s", name, largest.place()).isBetween(1, limit);
  }

  @Test
  void largest_areCountedWithTheirPlaces() throws IOException {
    Path source = Files.createDirectories(folder.resolve("src/main/java/p"));
    Files.writeString(
        source.resolve("A.java"),
        """
        package p;

        final class A {
          static final int NOT_OF_AN_INSTANCE = 1;
          private final Map<String, List<Integer>> all = new TreeMap<>();
          volatile @Nullable String name;
          int count;

          private record Pair(int a, int b) {
            Pair {
              check(a);
            }
          }

          void first(
              int a, String text) {
            int local = 1;
            use(local);

            // a comment is a line too
          }
        }

        enum B {}
        """);

    SourceFigures small = SourceFigures.of(folder);

    String file = "src/main/java/p/A.java";
    assertThat(small.longestMethod()).isEqualTo(new SourceFigures.Largest(4, file + ": first"));
    assertThat(small.longestFile()).isEqualTo(new SourceFigures.Largest(24, file));
    assertThat(small.mostFields()).isEqualTo(new SourceFigures.Largest(3, file));
    assertThat(small.mostTypes()).isEqualTo(new SourceFigures.Largest(2, "p"));
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
