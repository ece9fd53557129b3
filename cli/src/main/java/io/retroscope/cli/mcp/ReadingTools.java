// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.mcp;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.completion.StatementCompleter;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The tools over a session. Used by one thread. */
final class ReadingTools {
  private static final int DEFAULT_ROWS = 50;
  private static final int MAX_ROWS = 200;

  /** What checks a statement without running it. */
  private static final String PLAN = "EXPLAIN ";

  private final Session session;

  /**
   * The text of an answer.
   *
   * @param isError whether the tool failed
   */
  record Result(String text, boolean isError) {}

  /** An argument is missing or wrong; the message is a sentence. */
  private static final class ArgumentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ArgumentException(String message) {
      super(message);
    }
  }

  ReadingTools(Session session) {
    this.session = session;
  }

  /**
   * Runs a tool.
   *
   * @param arguments by name; of JSON's types
   */
  Result call(Tool tool, Map<String, Object> arguments, BooleanSupplier cancelled) {
    try {
      checkNames(tool, arguments);
      return new Result(answer(tool, arguments, cancelled), false);
    } catch (RqlException e) {
      return new Result(
          DiagnosticPrinter.print(e) + "Next: correct the statement, and check_statement.", true);
    } catch (ArgumentException | ProblemException | IOException e) {
      return new Result("error: " + e.getMessage(), true);
    }
  }

  private String answer(Tool tool, Map<String, Object> arguments, BooleanSupplier cancelled)
      throws IOException {
    return switch (tool) {
      case LIST -> list(cancelled);
      case CHECK -> check(text(arguments, Tool.Field.STATEMENT), cancelled);
      case QUERY -> query(text(arguments, Tool.Field.STATEMENT), limit(arguments), cancelled);
      case EXPLAIN -> explain(text(arguments, Tool.Field.STATEMENT), stamp(arguments), cancelled);
      case CUT -> cut(text(arguments, Tool.Field.LOG), stamp(arguments), cancelled);
      case PREVIOUS -> previous(text(arguments, Tool.Field.STATEMENT), stamp(arguments), cancelled);
      case NEXT -> next(text(arguments, Tool.Field.STATEMENT), stamp(arguments), cancelled);
    };
  }

  private static void checkNames(Tool tool, Map<String, Object> arguments) {
    List<String> known = tool.fields().stream().map(Tool.Field::word).toList();
    for (String name : arguments.keySet()) {
      if (!known.contains(name)) {
        throw new ArgumentException("the tool has no argument " + name + ", only " + known);
      }
    }
  }

  private static String text(Map<String, Object> arguments, Tool.Field field) {
    if (arguments.get(field.word()) instanceof String text && !text.isBlank()) {
      return text;
    }
    throw new ArgumentException("the argument " + field.word() + " is missing: a text");
  }

  private static int limit(Map<String, Object> arguments) {
    Object limit = arguments.getOrDefault(Tool.Field.LIMIT.word(), DEFAULT_ROWS);
    if (limit instanceof Integer number && number >= 1 && number <= MAX_ROWS) {
      return number;
    }
    throw new ArgumentException("limit must be a number from 1 to " + MAX_ROWS);
  }

  private static long stamp(Map<String, Object> arguments) {
    try {
      return HlcTimestamp.parse(text(arguments, Tool.Field.HLC));
    } catch (IllegalArgumentException e) {
      throw new ArgumentException("hlc: " + e.getMessage());
    }
  }

  private String list(BooleanSupplier cancelled) throws IOException {
    ToolAnswer answer = new ToolAnswer(MAX_ROWS, cancelled);
    for (String statement : List.of("SHOW LOGS", "SHOW VARIABLES", "SHOW NODES")) {
      session.run(statement, answer);
    }
    return answer.text(
        "query with SELECT of a log's variables, or cut_at with a log and a node's last stamp.");
  }

  private String check(String statement, BooleanSupplier cancelled) throws IOException {
    ParsedStatement reading = reading(statement);
    if (reading.query().isPresent() && !isExplained(statement)) {
      try {
        session.run(PLAN + statement, new ToolAnswer(0, cancelled));
      } catch (RqlException e) {
        throw inStatement(statement, e);
      }
    }
    return "The statement is valid.\nNext: query with it.";
  }

  /** The errors at their places in the statement that is checked. */
  private static RqlException inStatement(String statement, RqlException ofPlan) {
    return new RqlException(
        statement,
        ofPlan.diagnostics().stream()
            .map(
                error ->
                    new Diagnostic(
                        error.code(), error.message(), inStatement(error.range()), error.help()))
            .toList());
  }

  private static SourceRange inStatement(SourceRange ofPlan) {
    int shift = Math.min(PLAN.length(), ofPlan.start());
    return new SourceRange(ofPlan.start() - shift, ofPlan.end() - shift);
  }

  private static boolean isExplained(String statement) {
    return statement.strip().regionMatches(true, 0, "EXPLAIN", 0, "EXPLAIN".length());
  }

  private String query(String statement, int limit, BooleanSupplier cancelled) throws IOException {
    ToolAnswer answer = new ToolAnswer(limit, cancelled);
    session.run(reading(statement), answer);
    return answer.text(
        answer.count() == 0
            ? "if rows were expected, weaken WHEN, or widen ON TIME."
            : answer.isCut()
                ? "next_finding from the last hlc, or narrow ON TIME; explain or cut_at with one"
                    + " hlc."
                : "explain or cut_at with the hlc of a row.");
  }

  private String explain(String statement, long hlc, BooleanSupplier cancelled) throws IOException {
    ParsedStatement unused = reading(statement);
    ToolAnswer answer = new ToolAnswer(MAX_ROWS, cancelled);
    session.run("EXPLAIN CUT hlc'" + HlcTimestamp.text(hlc) + "' OF " + statement, answer);
    return answer.text(
        "cut_at with the hlc of a cause; previous_finding or next_finding if the WHEN does not hold"
            + " here.");
  }

  private String cut(String log, long hlc, BooleanSupplier cancelled) throws IOException {
    ToolAnswer answer = new ToolAnswer(MAX_ROWS, cancelled);
    String name = StatementCompleter.written(List.of(log)).get(0);
    session.run("SELECT * FROM " + name + " ON TIME hlc'" + HlcTimestamp.text(hlc) + "'", answer);
    return answer.text("cut_at with another hlc, or next_finding with a statement.");
  }

  private String next(String statement, long hlc, BooleanSupplier cancelled) throws IOException {
    ToolAnswer answer =
        new ToolAnswer(1, cancelled) {
          @Override
          public boolean row(Row row) {
            if (row.hlc() > hlc) {
              boolean unused = super.row(row);
              return false;
            }
            return true;
          }
        };
    session.run(search(statement), answer);
    return found(answer, "after", hlc, cancelled);
  }

  private String previous(String statement, long hlc, BooleanSupplier cancelled)
      throws IOException {
    ToolAnswer answer =
        new ToolAnswer(1, cancelled) {
          @Override
          public boolean row(Row row) {
            if (row.hlc() >= hlc) {
              return false;
            }
            clear();
            return super.row(row);
          }
        };
    session.run(search(statement), answer);
    return found(answer, "before", hlc, cancelled);
  }

  private static String found(
      ToolAnswer answer, String where, long hlc, BooleanSupplier cancelled) {
    if (!answer.hasStamps() && !cancelled.getAsBoolean()) {
      throw withoutStamps();
    }
    if (answer.count() > 0) {
      return answer.text("explain with its hlc, or the same tool again from its hlc.");
    }
    return cancelled.getAsBoolean()
        ? answer.text("the search took too long and was ended: narrow ON TIME.")
        : answer.text(
            "nothing: no row of the statement is %s %s.".formatted(where, HlcTimestamp.text(hlc)));
  }

  private static ParsedStatement search(String text) {
    ParsedStatement reading = reading(text);
    if (reading.statement().orElseThrow() instanceof Statement.Verdict) {
      throw withoutStamps();
    }
    return reading;
  }

  private static ArgumentException withoutStamps() {
    return new ArgumentException("only a SELECT from logs has rows with a stamp: use query");
  }

  /**
   * Parses a statement that reads.
   *
   * @throws RqlException if it cannot be parsed
   */
  private static ParsedStatement reading(String text) {
    ParsedStatement reading = new RqlParser().read(text);
    if (!reading.problems().isEmpty()) {
      throw new RqlException(text, reading.problems());
    }
    Statement statement = reading.statement().orElseThrow();
    boolean reads =
        statement instanceof Statement.Selection
            || statement instanceof Statement.Show
            || statement instanceof Statement.Describe
            || statement instanceof Statement.ExplainCut
            || statement instanceof Statement.Evaluate;
    if (!reads) {
      throw new ArgumentException("only statements that read can be run here");
    }
    if (reading.isLive()) {
      throw new ArgumentException("a STREAM never ends: omit STREAM");
    }
    return reading;
  }
}
