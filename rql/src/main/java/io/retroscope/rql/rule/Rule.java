// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.ast.Statement.Detection;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.ast.Statement.Verdict;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.RqlToken;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A named rule: a claim, or a query whose rows break it. Immutable.
 *
 * <p>The statements that it makes keep each character of the rule at its place in the file, so that
 * an error points into the file.
 */
public final class Rule {
  private final String file;
  private final String description;
  private final CreateRule statement;
  private final String text;
  private final String declarations;

  /**
   * Creates a rule.
   *
   * @param file the name of the file, for messages
   * @param text of the whole file
   * @param declarations the DECLAREs before it, which precede each statement that it makes
   */
  Rule(String file, String description, CreateRule statement, String text, String declarations) {
    this.file = file;
    this.description = description;
    this.statement = statement;
    this.text = text;
    this.declarations = declarations;
  }

  /** The rule's name. */
  public String name() {
    return statement.name().text();
  }

  /** The comment directly before the rule; empty if there is none. */
  public String description() {
    return description;
  }

  /** The file and the line at which the rule begins, such as {@code raft.rql:3}. */
  public String place() {
    return place(file, text, statement.range().start());
  }

  static String place(String file, String text, int index) {
    return file + ":" + (1 + text.substring(0, index).chars().filter(c -> c == '\n').count());
  }

  /** Whether another definition may replace the rule of the same name before it. */
  boolean replaces() {
    return statement.replaces();
  }

  SourceRange nameRange() {
    return statement.name().range();
  }

  /** Whether the rule has its own ON TIME, which takes precedence over a range from outside. */
  public boolean hasTime() {
    return statement.rule().walk().onTime().isPresent();
  }

  /**
   * The statement whose one row is the verdict.
   *
   * @param onTime a clause ON TIME for rules that have none; may be empty
   */
  public String verdict(String onTime) {
    return declarations + filled("NEVER", onTime);
  }

  /**
   * The query whose rows are the episodes: those that break the claim or, for EVENTUALLY and
   * SOMETIMES, the first that fulfils it.
   *
   * @param onTime a clause ON TIME for rules that have none; may be empty
   */
  public String episodes(String onTime) {
    if (!(statement.rule() instanceof Verdict verdict)) {
      return declarations + filled("", onTime);
    }
    String query = declarations + RqlFormatter.format(verdict.evidence());
    return hasTime() || onTime.isEmpty() ? query : query + " " + onTime;
  }

  /**
   * The query whose rows are all runs of the rule's WHEN, however short they are; empty if its
   * episodes are no runs, as with THEN, AFTER, EVENTUALLY and queries over rows.
   *
   * @param onTime a clause ON TIME for rules that have none; may be empty
   */
  Optional<String> runs(String onTime) {
    Statement.Selection rule =
        statement.rule() instanceof Verdict verdict && verdict.kind() != Claim.EVENTUALLY
            ? verdict.evidence()
            : statement.rule();
    if (!(rule instanceof Query query)
        || query.when().flatMap(Statement.When::response).isPresent()
        || query.when().isEmpty()) {
      return Optional.empty();
    }
    Statement.When when = query.when().get();
    Statement.When any = new Statement.When(when.predicate(), OptionalLong.empty(), when.range());
    Query runs = query.asStream(false).with(query.clauses().runs(any));
    String text = declarations + RqlFormatter.format(runs);
    return Optional.of(hasTime() || onTime.isEmpty() ? text : withTime(text, onTime));
  }

  /** Puts ON TIME before EMIT, which ends the text. */
  private static String withTime(String text, String onTime) {
    int emit = text.lastIndexOf("EMIT INTERVALS");
    return text.substring(0, emit) + onTime + " " + text.substring(emit);
  }

  /**
   * The statement that explains an episode.
   *
   * @param onTime as given to {@link #episodes}
   */
  String explanation(Episode episode, String onTime) {
    Statement.Selection rule =
        statement.rule() instanceof Verdict verdict ? verdict.evidence() : statement.rule();
    Statement explain =
        new Statement.ExplainCut(
            new TimePoint.Hlc(episode.hlc(), rule.range()),
            episode.item(),
            rule,
            OptionalLong.empty(),
            rule.range());
    String text = RqlFormatter.format(explain);
    return hasTime() || onTime.isEmpty() ? text : text + " " + onTime;
  }

  /**
   * The situations in which it can be broken.
   *
   * @param onTime as given to {@link #episodes}
   */
  List<Situation> situations(String onTime) {
    return Situations.of(statement, declarations).stream()
        .map(found -> hasTime() || onTime.isEmpty() ? found : found.during(onTime))
        .toList();
  }

  /** Whether the rule is SOMETIMES, which at least one of several runs must fulfil. */
  public boolean isOfSomeRun() {
    return statement.rule() instanceof Verdict verdict && verdict.kind() == Claim.SOMETIMES;
  }

  /** The rule as an alert; empty if it is only a rule. */
  public Optional<AlertDefinition> alert() {
    return statement.alert()
        ? Optional.of(AlertDefinition.of(statement, description, declarations))
        : Optional.empty();
  }

  /** The column with the node or the value for which the rule is evaluated, if it has FOR EACH. */
  Optional<String> element() {
    return statement
        .rule()
        .walk()
        .forEach()
        .filter(each -> each.collection().isPresent())
        .map(each -> each.name().text());
  }

  /** Whether the rule is POSSIBLY or DEFINITELY, whose one row is an episode if it is TRUE. */
  boolean isDetection() {
    return statement.rule() instanceof Detection;
  }

  /** Whether a row of {@link #episodes} shows that the rule holds. */
  boolean wantsRow() {
    return statement.rule() instanceof Verdict verdict && verdict.kind().isFulfilledByOne();
  }

  /** The text from the rule's first character on, as a statement, with clauses added. */
  private String filled(String claim, String onTime) {
    SourceRange all = statement.range();
    SourceRange rule = statement.rule().range();
    StringBuilder filled = new StringBuilder(text.substring(all.start(), all.end()));
    blank(filled, rule.end() - all.start(), filled.length());
    filled.insert(insertion(), clauses(onTime));
    blank(filled, 0, rule.start() - all.start());
    if (!claim.isEmpty() && !isClaim()) {
      filled.replace(0, claim.length(), claim);
      filled.setCharAt(opening(), '(');
      filled.append(')');
    }
    return filled.toString();
  }

  private static void blank(StringBuilder text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) != '\n') {
        text.setCharAt(i, ' ');
      }
    }
  }

  private boolean isClaim() {
    return statement.rule() instanceof Verdict || isDetection();
  }

  /** The index of the added clauses in the rule's own text. */
  private int insertion() {
    return statement.rule().walk().range().end() - statement.range().start();
  }

  /** An episode is a run of cuts, so a query that does not say otherwise has intervals. */
  private String clauses(String onTime) {
    Query walk = statement.rule().walk();
    String time = hasTime() || onTime.isEmpty() ? "" : " " + onTime;
    boolean runs =
        statement.rule() instanceof Query && walk.when().isPresent() && walk.emit().isEmpty();
    return runs ? time + " EMIT INTERVALS" : time;
  }

  /** The index of the parenthesis that opens the rule, in its own text. */
  private int opening() {
    return RqlToken.of(text.substring(statement.range().start())).stream()
        .filter(token -> token.text().equals("("))
        .mapToInt(token -> token.range().start())
        .findFirst()
        .orElseThrow();
  }

  /**
   * Returns the errors of {@link #verdict} as errors of the file.
   *
   * @param onTime as given to it
   */
  RqlException inFile(RqlException e, String onTime) {
    List<Diagnostic> here =
        e.diagnostics().stream()
            .map(
                problem ->
                    new Diagnostic(
                        problem.code(),
                        problem.message(),
                        inFile(problem.range(), clauses(onTime).length()),
                        problem.help()))
            .toList();
    return new RqlException(text, here);
  }

  private SourceRange inFile(SourceRange range, int added) {
    return new SourceRange(inFile(range.start(), added), inFile(range.end(), added));
  }

  private int inFile(int indexInStatement, int added) {
    int index = Math.max(0, indexInStatement - declarations.length());
    int own = index <= insertion() ? index : Math.max(insertion(), index - added);
    return Math.min(statement.range().start() + own, text.length());
  }

  /** The name. */
  @Override
  public String toString() {
    return name();
  }
}
