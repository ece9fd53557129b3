// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.ast.Statement.Declare;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The rules of some files, in their order. A wrong statement does not prevent the others from being
 * read. Used by one thread.
 */
public final class RuleSet {
  /** The words before the name of a rule. */
  private static final Set<String> KINDS = Set.of("RULE", "ALERT");

  private final RqlParser parser = new RqlParser();
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final List<RuleFault> faults = new ArrayList<>();

  /**
   * Adds the rules of a file. Its length is limited as that of a statement is.
   *
   * @param file its name, for messages
   * @param text its content
   */
  public void add(String file, String text) {
    StringBuilder declarations = new StringBuilder();
    for (ParsedStatement reading : parser.readAll(text)) {
      if (!reading.problems().isEmpty()) {
        fault(file, new RqlException(text, reading.problems()));
      } else if (reading.statement().orElseThrow() instanceof Declare declaration) {
        declarations.append(RqlFormatter.format(declaration)).append(' ');
      } else if (reading.statement().orElseThrow() instanceof CreateRule rule) {
        add(file, rule, declarations.toString(), text);
      } else {
        Diagnostic problem =
            ErrorCode.NOT_A_RULE
                .at(reading.statement().orElseThrow().range())
                .withHelp(
                    "write CREATE RULE name AS (SELECT ...), or (NEVER ...); or CREATE ALERT");
        fault(file, new RqlException(text, List.of(problem)));
      }
    }
  }

  private void add(String file, CreateRule statement, String declarations, String text) {
    List<Diagnostic> problems = statement.alert() ? AlertDefinition.problems(statement) : List.of();
    if (!problems.isEmpty()) {
      fault(file, new RqlException(text, problems));
      return;
    }
    String description = description(text, statement.range().start());
    add(file, new Rule(file, description, statement, text, declarations), text);
  }

  private void add(String file, Rule rule, String text) {
    Rule before = rules.get(rule.name());
    if (before != null && !rule.replaces()) {
      Diagnostic problem =
          ErrorCode.RULE_TWICE
              .at(rule.nameRange(), rule.name())
              .withHelp(
                  "the first is at %s; CREATE OR REPLACE replaces it".formatted(before.place()));
      fault(file, new RqlException(text, List.of(problem)));
    } else {
      rules.put(rule.name(), rule);
    }
  }

  private void fault(String file, RqlException error) {
    int at = error.diagnostics().get(0).range().start();
    String place = Rule.place(file, error.text(), Math.min(at, error.text().length()));
    faults.add(new RuleFault(name(error.text(), at, place), place, error));
  }

  /** The name of the rule that contains an index, if its beginning is right. */
  private static String name(String text, int index, String otherwise) {
    String name = otherwise;
    List<RqlToken> tokens = RqlToken.of(text);
    for (int i = 0; i + 1 < tokens.size() && tokens.get(i).range().start() <= index; i++) {
      RqlToken token = tokens.get(i);
      if (token.kind() == Kind.SEMICOLON) {
        name = otherwise;
      } else if (KINDS.contains(token.text().toUpperCase(Locale.ROOT)) && name.equals(otherwise)) {
        name = tokens.get(i + 1).text();
      }
    }
    return name;
  }

  /** The lines of comment that end directly before a statement. */
  private static String description(String text, int statement) {
    List<String> lines = new ArrayList<>();
    int end = text.lastIndexOf('\n', statement - 1);
    while (end >= 0) {
      int start = text.lastIndexOf('\n', end - 1) + 1;
      String line = text.substring(start, end).strip();
      if (!line.startsWith("--")) {
        break;
      }
      lines.add(0, line.substring(2).strip());
      end = start - 1;
    }
    return String.join(" ", lines).strip();
  }

  /** The rules that can be checked. */
  public List<Rule> rules() {
    return List.copyOf(rules.values());
  }

  /** The statements that are wrong. */
  public List<RuleFault> faults() {
    return List.copyOf(faults);
  }
}
