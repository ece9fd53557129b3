// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import io.retroscope.server.health.Release;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The files of the project that are compiled or loaded, of which pages show excerpts. White space
 * and comments may differ.
 */
final class Excerpts {
  /** The languages of blocks that are excerpts, which are ends of files' names too. */
  static final Set<String> LANGUAGES = Set.of("java", "xml", "properties", "lua", "rql");

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/");
  private static final Pattern OMITTED = Pattern.compile("(?m)^\\s*// \\.\\.\\..*$|\\.\\.\\.");
  private static final int MAX_BYTES = 1 << 20;

  private final Path root;
  private final List<Path> files;

  /** The texts of files that were searched, without white space. */
  private final Map<Path, String> texts = new HashMap<>();

  Excerpts(Path root, List<Path> files) {
    this.root = root;
    this.files = files;
  }

  /** A text without white space and comments, with the version in place of its property. */
  private static String dense(String text) {
    String code = text;
    if (text.contains("/*")) {
      code = COMMENT.matcher(text).replaceAll("");
    }
    StringBuilder dense = new StringBuilder(code.length());
    boolean comment = false;
    for (int i = 0; i < code.length(); i++) {
      char c = code.charAt(i);
      comment = c != '\n' && (comment || (c == '/' && isComment(code, i)));
      if (!comment && c > ' ') {
        dense.append(c);
      }
    }
    return dense.toString().replace("${project.version}", Release.VERSION);
  }

  private static boolean isComment(String text, int at) {
    return text.startsWith("//", at) && (at == 0 || text.charAt(at - 1) <= ' ');
  }

  /**
   * Whether each part of a block, between three dots, is in a file: below the folder of the page,
   * or else anywhere.
   */
  boolean have(PageBlock block) {
    Path folder = root.resolve(block.page()).getParent();
    String end = "." + (block.language().equals("lua") ? "java" : block.language());
    List<Path> candidates = new ArrayList<>();
    for (Path file : files) {
      if (file.toString().endsWith(end)) {
        candidates.add(file.startsWith(folder) ? 0 : candidates.size(), file);
      }
    }
    return Arrays.stream(OMITTED.split(block.text()))
        .map(Excerpts::dense)
        .allMatch(part -> candidates.stream().anyMatch(file -> text(file).contains(part)));
  }

  private String text(Path file) {
    return texts.computeIfAbsent(
        file,
        key -> {
          try {
            return Files.size(key) < MAX_BYTES ? dense(Files.readString(key)) : "";
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
