// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The links of the pages, and the site that is made of them. */
class SiteTest {
  private static final Path ROOT = Path.of("..");

  @TempDir Path folder;
  private Path out;

  @BeforeEach
  void project() throws IOException {
    out = folder.resolve("out");
    Files.createDirectories(folder.resolve("docs/pictures"));
    Files.createDirectories(folder.resolve("rql"));
    Files.writeString(folder.resolve("rql/Source.java"), "class Source {}\n");
    Files.writeString(folder.resolve("docs/pictures/a.svg"), "<svg/>");
    Files.writeString(
        folder.resolve("README.md"),
        """
        # Start
        [a page](docs/page.md#two-words), [source](rql/Source.java), [away](https://example.org/x)

        <picture>
          <img alt="a" src="docs/pictures/a.svg">
        </picture>
        """);
    Files.writeString(
        folder.resolve("docs/page.md"),
        "# Page\n\n## Two `words`!\n\n| a |\n|---|\n| <x> cell |\n");
  }

  @Test
  void links_ofAllPages_leadSomewhere() throws IOException {
    assertThat(Site.brokenLinks(ROOT)).isEmpty();
  }

  @Test
  void link_toPage_leadsToItsHtml() throws IOException {
    write();

    assertThat(out.resolve("README.html"))
        .content()
        .contains("<a href=\"docs/page.html#two-words\">a page</a>")
        .contains("<a href=\"https://example.org/x\">away</a>")
        .contains("src=\"docs/pictures/a.svg\"");
    assertThat(out.resolve("docs/page.html"))
        .content()
        .contains("<h2 id=\"two-words\">")
        .contains("href=\"../site.css\"");
    assertThat(out.resolve("docs/pictures/a.svg")).hasContent("<svg/>");
  }

  @Test
  void link_thatLeavesTheSite_isText() throws IOException {
    write();

    assertThat(out.resolve("README.html")).content().contains(", source, ");
  }

  @Test
  void search_hasEachSectionWithItsText() throws IOException {
    write();

    assertThat(out.resolve("index.js"))
        .content()
        .contains("[\"docs/page.html#two-words\", \"Page\", \"Two words!\", ")
        .contains("cell")
        .doesNotContain("<");
    assertThat(out.resolve("search.js")).content().contains("INDEX");
  }

  @Test
  void brokenLink_isNamedWithItsPage() throws IOException {
    Files.writeString(
        folder.resolve("docs/page.md"), "# Page\n[b](gone.md) ![c](pictures/b.svg)\n");

    assertThatThrownBy(this::write)
        .hasMessageContaining("README.md: docs/page.md#two-words")
        .hasMessageContaining("docs/page.md: gone.md")
        .hasMessageContaining("docs/page.md: pictures/b.svg");
    assertThat(out).doesNotExist();
  }

  private void write() throws IOException {
    Site.main(new String[] {folder.toString(), out.toString()});
  }
}
