// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** One page: its text, its headings, and its links. */
final class Page {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Pattern ADDRESS = Pattern.compile("[a-z]+:.*");
  private static final Pattern MARK = Pattern.compile("<a id=\"([^\"]*)\"");
  private static final Pattern SOURCE = Pattern.compile("(?:src|srcset)=\"([^\"]*)\"");

  /** The most characters of one section in the index of the search. */
  private static final int MAX_SECTION = 4_000;

  private final Path root;
  private final Path file;
  private final Node document;
  private final Map<Node, String> anchors = new LinkedHashMap<>();
  private final Set<String> marks = new TreeSet<>();
  private final List<String> links = new ArrayList<>();

  private Page(Path root, Path file, Node document) {
    this.root = root;
    this.file = file;
    this.document = document;
  }

  /**
   * Reads a page.
   *
   * @param file relative to the root
   */
  static Page read(Path root, Path file) throws IOException {
    String text = Files.readString(root.resolve(file));
    Page page = new Page(root, file, Parser.builder().extensions(EXTENSIONS).build().parse(text));
    page.document.accept(page.new Reader());
    return page;
  }

  /** The path of a page's HTML. */
  static Path html(Path file) {
    return Path.of(file.toString().replaceFirst("\\.md$", ".html"));
  }

  Path file() {
    return file;
  }

  /** The links within the project, as they are written. */
  List<String> links() {
    return links;
  }

  /** Whether a heading or a mark in a text has this name. */
  boolean hasAnchor(String name) {
    return anchors.containsValue(name) || marks.contains(name);
  }

  /** The file of a link, relative to the root; that of a folder is its README if it has one. */
  Path target(String link) {
    String path = link.replaceFirst("#.*", "");
    Path target =
        path.isEmpty()
            ? file
            : root.relativize(root.resolve(file).resolveSibling(path).normalize());
    Path readme = target.resolve("README.md");
    return Files.exists(root.resolve(readme)) ? readme : target;
  }

  /**
   * Returns the page as HTML. A link to a file that is not in the site becomes its text.
   *
   * @param pages those in the site
   */
  String render(Set<Path> pages) {
    document.accept(new Linker(pages));
    HtmlRenderer renderer =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .attributeProviderFactory(
                context ->
                    (node, tag, attributes) -> {
                      if (anchors.containsKey(node)) {
                        attributes.put("id", anchors.get(node));
                      }
                    })
            .build();
    String up = "../".repeat(file.getNameCount() - 1);
    return """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s - Retroscope</title>
    <link rel="stylesheet" href="%2$ssite.css">
    <nav>
      <a href="%2$sREADME.html">Retroscope</a>
      <a href="%2$sdocs/index.html">Documentation</a>
      <input type="search" placeholder="Search" aria-label="Search" data-up="%2$s">
      <ol id="found"></ol>
    </nav>
    <main>
    %3$s</main>
    <script src="%2$sindex.js"></script>
    <script src="%2$ssearch.js"></script>
    </html>
    """
        .formatted(escape(title()), up, renderer.render(document));
  }

  private String title() {
    return anchors.keySet().stream().findFirst().map(Page::text).orElse(file.toString());
  }

  /** Adds an entry for each section to the index of the search. */
  void index(StringBuilder index) {
    String path = html(file).toString().replace('\\', '/');
    String heading = title();
    String anchor = "";
    StringBuilder section = new StringBuilder();
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (node instanceof Heading) {
        add(index, path + anchor, heading, section);
        anchor = "#" + anchors.get(node);
        heading = text(node);
        section.setLength(0);
      } else {
        section.append(text(node)).append(' ');
      }
    }
    add(index, path + anchor, heading, section);
  }

  private void add(StringBuilder index, String address, String heading, StringBuilder section) {
    String text = section.toString().replaceAll("\\s+", " ").strip();
    if (!text.isEmpty()) {
      String kept = text.substring(0, Math.min(MAX_SECTION, text.length()));
      index.append(
          "[%s, %s, %s, %s],\n"
              .formatted(string(address), string(title()), string(heading), string(kept)));
    }
  }

  /** A string of JavaScript. */
  private static String string(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c == '<' || c == '\u2028' || c == '\u2029') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  /** The words of a node, without markup. */
  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(FencedCodeBlock block) {
            text.append(block.getLiteral()).append(' ');
          }

          @Override
          public void visit(SoftLineBreak space) {
            text.append(' ');
          }

          @Override
          protected void visitChildren(Node parent) {
            super.visitChildren(parent);
            if (parent instanceof Block || parent instanceof TableCell) {
              text.append(' ');
            }
          }
        });
    return text.toString().strip();
  }

  /** Collects headings and links. */
  private final class Reader extends AbstractVisitor {
    private final Map<String, Integer> uses = new HashMap<>();

    @Override
    public void visit(Heading heading) {
      String name =
          text(heading)
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .replace(' ', '-');
      int earlier = uses.merge(name, 1, Integer::sum) - 1;
      anchors.put(heading, earlier == 0 ? name : name + "-" + earlier);
      visitChildren(heading);
    }

    @Override
    public void visit(Link link) {
      add(link.getDestination());
      visitChildren(link);
    }

    @Override
    public void visit(Image image) {
      add(image.getDestination());
    }

    @Override
    public void visit(HtmlInline tag) {
      Matcher mark = MARK.matcher(tag.getLiteral());
      if (mark.find()) {
        marks.add(mark.group(1));
      }
    }

    @Override
    public void visit(HtmlBlock block) {
      Matcher source = SOURCE.matcher(block.getLiteral());
      while (source.find()) {
        add(source.group(1));
      }
    }

    private void add(String link) {
      if (!ADDRESS.matcher(link).matches()) {
        links.add(link);
      }
    }
  }

  /** Whether the site has a file that is no page. */
  private boolean isCopied(Path target) {
    return target.endsWith("LICENSE")
        || (target.startsWith("docs") && Files.isRegularFile(root.resolve(target)));
  }

  /** Makes links lead to the HTML of pages, and replaces those that leave the site. */
  private final class Linker extends AbstractVisitor {
    private final Set<Path> pages;

    Linker(Set<Path> pages) {
      this.pages = pages;
    }

    @Override
    public void visit(Link link) {
      visitChildren(link);
      String address = link.getDestination();
      if (ADDRESS.matcher(address).matches()) {
        return;
      }
      Path target = target(address);
      if (pages.contains(target)) {
        int hash = address.indexOf('#');
        Path folder = file.getParent() == null ? Path.of("") : file.getParent();
        String path = folder.relativize(html(target)).toString().replace('\\', '/');
        link.setDestination(path + (hash < 0 ? "" : address.substring(hash)));
      } else if (!isCopied(target)) {
        while (link.getFirstChild() != null) {
          link.insertBefore(link.getFirstChild());
        }
        link.unlink();
      }
    }
  }
}
