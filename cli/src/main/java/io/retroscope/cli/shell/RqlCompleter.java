// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.shell.EditorParser.EditorLine;
import io.retroscope.rql.completion.Offer;
import io.retroscope.rql.completion.StatementCompleter;
import io.retroscope.rql.print.OutputFormat;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** A completer that offers the words, functions and names that are possible at the cursor. */
final class RqlCompleter implements Completer {
  static final List<String> COMMANDS =
      List.of(
          "\\?",
          "\\d",
          "\\format",
          "\\i",
          "\\d+",
          "\\conninfo",
          "\\e",
          "\\echo",
          "\\unset",
          "\\!",
          "\\o",
          "\\pager",
          "\\play",
          "\\q",
          "\\rows",
          "\\timing",
          "\\watch",
          "\\x");

  /** Commands of the shell that are words. */
  private static final List<String> WORDS = List.of("help", "exit", "quit");

  private final CatalogCache catalogs;
  private final FileNames files;
  private final StatementCompleter statements;

  RqlCompleter(CatalogCache catalogs, FileNames files, List<String> instruments) {
    this.catalogs = catalogs;
    this.files = files;
    this.statements = new StatementCompleter(catalogs::get, instruments);
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    EditorLine edited = (EditorLine) line;
    String word = edited.word();
    if (edited.command().isPresent()) {
      argument(edited.command().get(), word, candidates);
    } else if (word.startsWith("\\")) {
      add("commands", COMMANDS, candidates);
    } else {
      for (Offer offer : statements.offers(edited.typed())) {
        String description = offer.description().isEmpty() ? null : offer.description();
        candidates.add(
            new Candidate(
                offer.text(),
                offer.shown(),
                offer.group(),
                description,
                null,
                null,
                offer.complete()));
      }
      if (edited.typed().beginsStatement()) {
        add("statements", WORDS, candidates);
      }
    }
  }

  private void argument(String command, String word, List<Candidate> candidates) {
    switch (command) {
      case "\\d", "\\d+" ->
          add("logs", StatementCompleter.written(catalogs.get().logNames()), candidates);
      case "\\format" ->
          add(
              "formats",
              Stream.of(OutputFormat.values()).map(OutputFormat::word).toList(),
              candidates);
      case "\\x" -> add("when", List.of("on", "off", "auto"), candidates);
      case "\\timing", "\\pager" -> add("when", List.of("on", "off"), candidates);
      case "\\rows" -> add("number", List.of("all"), candidates);
      case "\\i", "\\o", "\\play" ->
          files.startingWith(word).forEach(path -> file(path, candidates));
      case "\\?", "\\h", "help" -> add("topics", ShellHelp.topics(), candidates);
      default -> {}
    }
  }

  private static void add(String group, Collection<String> texts, List<Candidate> candidates) {
    for (String text : texts) {
      candidates.add(new Candidate(text, text, group, null, null, null, true));
    }
  }

  /** Adds a file; a folder is not yet a complete name. */
  private static void file(String path, List<Candidate> candidates) {
    boolean complete = !path.endsWith("/");
    candidates.add(new Candidate(path, path, "files", null, null, null, complete));
  }
}
