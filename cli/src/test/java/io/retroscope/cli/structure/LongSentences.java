// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.structure;

import io.retroscope.cli.ProjectFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sentences of Markdown pages that have more words than a reader takes in at once. Code counts
 * as one word. An item of a list, and a cell of a table, ends a sentence; a colon does not.
 */
final class LongSentences {
  /** More words are reported. */
  static final int MAX_WORDS = 40;

  private static final Pattern CODE =
      Pattern.compile(
          "(?ms)^ *```.*?^ *```[ \\t]*$|^ {4,}\\S.*?$|<!--.*?-->|<picture>.*?</picture>");

  /** Two backquotes are around code with one. */
  private static final Pattern CODE_SPAN = Pattern.compile("``.*?``|`[^`]*`");

  private static final Pattern MARKUP = Pattern.compile("\\]\\([^)]*\\)|\\*\\*|<[^>\\n]*>");
  private static final Pattern END = Pattern.compile("(?<=[.!?][)\\]]?)\\s+|\\||\n\\s*\n|\n(?=#)");
  private static final Pattern ITEM = Pattern.compile("\n(?=\\s*(?:[-*>]|\\d+\\.) )");
  private static final Pattern WORD = Pattern.compile("\\S*\\w\\S*");

  private LongSentences() {}

  /** Returns the long sentences of the pages below a folder, each with its page and its length. */
  static List<String> in(Path folder) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : ProjectFiles.in(folder).stream().filter(LongSentences::isPage).toList()) {
      for (String sentence : of(Files.readString(page))) {
        found.add(folder.relativize(page) + ": " + words(sentence) + " words: " + sentence);
      }
    }
    return found;
  }

  private static boolean isPage(Path path) {
    String name = path.toString().replace('\\', '/');
    return name.endsWith(".md") && !name.contains("/.");
  }

  /** Returns the long sentences of one page. */
  static List<String> of(String page) {
    String prose = CODE.matcher(page).replaceAll("\n\n");
    prose = CODE_SPAN.matcher(prose).replaceAll("code");
    prose = MARKUP.matcher(prose).replaceAll(" ");
    List<String> found = new ArrayList<>();
    for (String part : ITEM.split(prose, -1)) {
      for (String sentence : END.split(part, -1)) {
        if (words(sentence) > MAX_WORDS) {
          found.add(sentence.replaceAll("\\s+", " ").strip());
        }
      }
    }
    return found;
  }

  private static long words(String sentence) {
    Matcher word = WORD.matcher(sentence);
    return word.results().count();
  }
}
