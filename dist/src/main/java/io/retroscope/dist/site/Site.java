// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * All pages of the documentation as HTML, with a search that needs no server. Pages keep their
 * folders, so that links between them remain as they are, apart from the ending.
 */
public final class Site {
  private static final List<String> PARTS = List.of("site.css", "search.js");

  private final Path root;
  private final Map<Path, Page> pages = new TreeMap<>();

  private Site(Path root) throws IOException {
    this.root = root;
    for (Path file : files(root)) {
      if (file.toString().endsWith(".md")) {
        pages.put(file, Page.read(root, file));
      }
    }
  }

  /**
   * Writes the site.
   *
   * @param args the folder of the project, and the folder to write to
   * @throws IOException if a page cannot be read, a file cannot be written, or a link is broken
   */
  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]).toAbsolutePath().normalize();
    Site site = new Site(root);
    List<String> broken = site.brokenLinks();
    if (!broken.isEmpty()) {
      throw new IOException("broken links:\n  " + String.join("\n  ", broken));
    }
    site.write(Path.of(args[1]));
  }

  /**
   * The links of the pages in a folder that lead nowhere, each with its page.
   *
   * @throws IOException if a page cannot be read
   */
  static List<String> brokenLinks(Path root) throws IOException {
    return new Site(root.toAbsolutePath().normalize()).brokenLinks();
  }

  /** The pages, and the files that pages show, relative to the folder. */
  private static List<Path> files(Path root) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(root)) {
      all.filter(Files::isRegularFile)
          .map(root::relativize)
          .filter(Site::isPage)
          .forEach(found::add);
    }
    for (String folder : List.of("docs", "examples", "instrumentation", "benchmarks", "junit")) {
      if (Files.isDirectory(root.resolve(folder))) {
        try (Stream<Path> all = Files.walk(root.resolve(folder))) {
          all.filter(Files::isRegularFile)
              .map(root::relativize)
              .filter(file -> isPage(file) || file.startsWith("docs"))
              .filter(file -> !isBuilt(file))
              .forEach(found::add);
        }
      }
    }
    return found;
  }

  private static boolean isPage(Path file) {
    return file.toString().endsWith(".md") || file.endsWith("LICENSE");
  }

  private static boolean isBuilt(Path file) {
    for (Path part : file) {
      if (part.toString().equals("target") || part.toString().equals("src")) {
        return true;
      }
    }
    return false;
  }

  private List<String> brokenLinks() {
    List<String> broken = new ArrayList<>();
    for (Page page : pages.values()) {
      for (String link : page.links()) {
        if (!leadsSomewhere(page, link)) {
          broken.add(page.file() + ": " + link);
        }
      }
    }
    return broken;
  }

  private boolean leadsSomewhere(Page page, String link) {
    Path file = page.target(link);
    int hash = link.indexOf('#');
    Page target = pages.get(file);
    if (hash >= 0 && target != null) {
      return target.hasAnchor(link.substring(hash + 1));
    }
    return !file.startsWith("..") && Files.exists(root.resolve(file));
  }

  private void write(Path folder) throws IOException {
    for (Path file : files(root)) {
      Path target = folder.resolve(file);
      Files.createDirectories(target.getParent());
      Page page = pages.get(file);
      if (page == null) {
        Files.write(target, Files.readAllBytes(root.resolve(file)));
      } else {
        Files.writeString(folder.resolve(Page.html(file)), page.render(pages.keySet()));
      }
    }
    for (String part : PARTS) {
      try (InputStream in = Site.class.getResourceAsStream(part)) {
        Files.write(folder.resolve(part), in.readAllBytes());
      }
    }
    StringBuilder index = new StringBuilder("const INDEX = [\n");
    pages.values().forEach(page -> page.index(index));
    Files.writeString(
        folder.resolve("index.js"), index.append("];\n").toString(), StandardCharsets.UTF_8);
    Files.writeString(
        folder.resolve("index.html"),
        "<!doctype html><meta charset=\"utf-8\"><title>Retroscope</title>"
            + "<meta http-equiv=\"refresh\" content=\"0; url=docs/index.html\">"
            + "<a href=\"docs/index.html\">Documentation</a>\n");
  }
}
