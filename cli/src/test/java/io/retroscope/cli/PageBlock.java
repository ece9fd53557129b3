// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/**
 * A block of code on a Markdown page, between fences or indented.
 *
 * @param page relative to the project's folder, with slashes
 * @param line the line of the page at which the block starts, counted from 1
 * @param language the words after the fence; empty if there are none
 * @param text the lines, without indentation and fences
 */
record PageBlock(String page, int line, String language, String text) {
  /** The blocks of all pages of the project, in order. */
  static List<PageBlock> all(Path root) throws IOException {
    return all(root, ProjectFiles.in(root));
  }

  /** The blocks of the pages among some files. */
  static List<PageBlock> all(Path root, List<Path> files) throws IOException {
    List<PageBlock> blocks = new ArrayList<>();
    for (Path file : files) {
      if (file.toString().endsWith(".md")) {
        String name = root.relativize(file).toString().replace('\\', '/');
        blocks.addAll(of(name, Files.readString(file)));
      }
    }
    return blocks;
  }

  /** The blocks of a page, in order. */
  static List<PageBlock> of(String page, String text) {
    List<PageBlock> blocks = new ArrayList<>();
    Parser.builder()
        .includeSourceSpans(IncludeSourceSpans.BLOCKS)
        .build()
        .parse(text)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(FencedCodeBlock block) {
                String language = block.getInfo() == null ? "" : block.getInfo();
                blocks.add(new PageBlock(page, lineOf(block), language, block.getLiteral()));
              }

              @Override
              public void visit(IndentedCodeBlock block) {
                blocks.add(new PageBlock(page, lineOf(block), "", block.getLiteral()));
              }
            });
    return blocks;
  }

  private static int lineOf(Node block) {
    return block.getSourceSpans().get(0).getLineIndex() + 1;
  }

  /** The first line that is not blank, without surrounding blanks. */
  String start() {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).findFirst().orElse("");
  }

  @Override
  public String toString() {
    return page + ":" + line;
  }
}
