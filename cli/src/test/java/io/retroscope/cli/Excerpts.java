// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import io.retroscope.server.health.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

  /** The texts of the files, without white space. */
  private final List<String> texts = new ArrayList<>();

  Excerpts(List<Path> files) throws IOException {
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (LANGUAGES.contains(name.substring(name.lastIndexOf('.') + 1))
          && Files.size(file) < MAX_BYTES) {
        texts.add(dense(Files.readString(file)));
      }
    }
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

  /** Whether each part of a block, between three dots, is in a file. */
  boolean have(String block) {
    return Arrays.stream(OMITTED.split(block))
        .map(Excerpts::dense)
        .allMatch(part -> texts.stream().anyMatch(text -> text.contains(part)));
  }
}
