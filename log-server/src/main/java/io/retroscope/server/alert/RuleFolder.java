// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleFault;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A folder of files of rules. Used by one thread at a time. */
final class RuleFolder {
  private static final int MAX_FILES = 1_000;
  private static final long MAX_BYTES = 1 << 20;

  private final Path folder;
  private Map<String, String> texts = Map.of();

  RuleFolder(Path folder) {
    this.folder = folder;
  }

  /**
   * Reads the files {@code *.rql}, and returns whether they are others than before.
   *
   * @throws IllegalArgumentException if a file cannot be read
   */
  boolean read() {
    Map<String, String> read = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> rules =
          files.filter(file -> file.getFileName().toString().endsWith(".rql")).sorted().toList();
      if (rules.size() > MAX_FILES) {
        throw new IllegalArgumentException(
            "%s has more than %,d files of rules".formatted(folder, MAX_FILES));
      }
      for (Path file : rules) {
        if (Files.size(file) > MAX_BYTES) {
          throw new IllegalArgumentException(
              "%s is larger than %,d bytes".formatted(file, MAX_BYTES));
        }
        read.put(file.toString(), Files.readString(file));
      }
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no folder of rules " + folder, e);
    } catch (NotDirectoryException e) {
      throw new IllegalArgumentException(folder + " is no folder: rules are in its *.rql", e);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read the rules in " + folder + ": " + e, e);
    }
    boolean isOther = !read.equals(texts);
    texts = read;
    return isOther;
  }

  /**
   * Returns the alerts of the files by their names.
   *
   * @param check throws {@link RqlException} if a statement is wrong
   * @throws IllegalArgumentException with the printed errors, if there are any
   */
  Map<String, AlertDefinition> alerts(Consumer<String> check) {
    RuleSet rules = new RuleSet();
    texts.forEach(rules::add);
    if (!rules.faults().isEmpty()) {
      RuleFault first = rules.faults().get(0);
      throw new IllegalArgumentException(
          "%s is wrong:%n%s".formatted(first.place(), DiagnosticPrinter.print(first.error())));
    }
    Map<String, AlertDefinition> alerts = new LinkedHashMap<>();
    for (Rule rule : rules.rules()) {
      rule.alert()
          .ifPresent(
              alert -> {
                check(rule, alert, check);
                alerts.put(alert.name(), alert);
              });
    }
    return alerts;
  }

  private static void check(Rule rule, AlertDefinition alert, Consumer<String> check) {
    try {
      check.accept(alert.stream());
    } catch (RqlException e) {
      throw new IllegalArgumentException(
          "%s is wrong:%n%s".formatted(rule.place(), DiagnosticPrinter.print(e)), e);
    }
  }
}
