// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.ast.Statement.Detection;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.Statement.OuterQuery;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.ast.Statement.SelectItem;
import io.retroscope.rql.ast.Statement.Selection;
import io.retroscope.rql.ast.Statement.Verdict;
import io.retroscope.rql.ast.Statement.When;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A rule that a server evaluates as events arrive. Immutable.
 *
 * @param description the comment before it; may be empty
 * @param stream the STREAM whose rows are its edges
 * @param evidence the query whose rows break the rule
 */
public record AlertDefinition(
    String name, String description, AlertSettings settings, String stream, String evidence) {
  /** The column of the stream with the item of FOR EACH. */
  static final String ITEM = "alert.item";

  private static final int IDENTITY_BYTES = 16;

  /**
   * Returns the alert of a statement CREATE ALERT.
   *
   * @param declarations the DECLAREs that precede the statement
   */
  public static AlertDefinition of(CreateRule alert, String description, String declarations) {
    return new AlertDefinition(
        alert.name().text(),
        description,
        AlertSettings.of(alert.settings(), new ArrayList<>()),
        declarations + RqlFormatter.format(stream(alert.rule().walk())),
        RqlFormatter.format(
            alert.rule() instanceof Verdict verdict ? verdict.evidence() : alert.rule()));
  }

  /**
   * Returns the statement that explains why the rule is broken at a cut.
   *
   * @param hlc packed
   * @param item the item of FOR EACH; empty without it
   */
  public String explanation(long hlc, String item) {
    return "EXPLAIN CUT hlc'%s'%s OF %s"
        .formatted(
            HlcTimestamp.text(hlc),
            item.isEmpty() ? "" : " FOR '" + item.replace("'", "''") + "'",
            evidence);
  }

  /** A digest of what decides the edges: an alert with another one begins anew. */
  public String identity() {
    try {
      String text = stream + "\n" + settings.keepMicros();
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, IDENTITY_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  /**
   * Returns a query as the STREAM of an alert: edges, or for THEN, of which edges are not possible,
   * intervals.
   */
  public static Query stream(Query query) {
    boolean isThen =
        query
            .when()
            .flatMap(When::response)
            .filter(response -> response.order() == Response.Order.THEN && !response.negated())
            .isPresent();
    List<SelectItem> items = new ArrayList<>();
    query.forEach().ifPresent(each -> items.add(item(each)));
    items.addAll(query.items());
    return new Query(
        query.explain(),
        true,
        query.items().isEmpty() ? List.of() : items,
        query.logs(),
        query.clauses().toBuilder()
            .emit(Optional.of(isThen ? Emit.INTERVALS : Emit.EDGES))
            .play(Optional.empty())
            .build(),
        query.range());
  }

  private static SelectItem item(ForEach each) {
    SourceRange range = each.name().range();
    Expression name = new Expression.Name(each.name(), range);
    Expression item =
        each instanceof ForEach.OfVariable
            ? new Expression.Call(new Identifier("NAME", false, range), false, List.of(name), range)
            : name;
    Identifier alias = new Identifier(ITEM, true, range);
    return new SelectItem(item, Optional.of(alias), RqlFormatter.format(item), range);
  }

  /** Returns the reasons why a rule cannot be an alert, with places in its text. */
  public static List<Diagnostic> problems(CreateRule alert) {
    List<Diagnostic> problems = new ArrayList<>();
    AlertSettings.of(alert.settings(), problems);
    Selection rule = alert.rule();
    String live = "an alert is evaluated as events arrive, from now on";
    if (rule instanceof Detection) {
      problems.add(refused(rule, "an alert does not take POSSIBLY and DEFINITELY", live));
    } else if (rule instanceof Verdict verdict && verdict.kind().isFulfilledByOne()) {
      problems.add(
          refused(
              rule,
              "an alert does not take " + verdict.kind(),
              live + ": write ALWAYS p THEN q WITHIN d"));
    } else if (isOfRows(rule)) {
      problems.add(refused(rule, "an alert does not take a query over rows", live));
    } else {
      checkWalk(rule.walk(), problems);
    }
    return problems;
  }

  private static boolean isOfRows(Selection rule) {
    return rule instanceof OuterQuery
        || (rule instanceof Verdict verdict && !(verdict.evidence() instanceof Query));
  }

  private static void checkWalk(Query walk, List<Diagnostic> problems) {
    if (walk.when().isEmpty()) {
      problems.add(refused(walk, "an alert needs WHEN", "write the condition that is reported"));
    }
    if (walk.items().isEmpty() && walk.forEach().isPresent()) {
      problems.add(refused(walk, "an alert with FOR EACH does not take *", "list the items"));
    }
    if (walk.limit().isPresent()) {
      problems.add(refused(walk, "an alert does not take LIMIT", "leave it out"));
    }
    if (walk.onTime().isPresent()) {
      problems.add(
          refused(
              walk,
              "an alert does not take ON TIME",
              "leave it out: it begins when it is created"));
    }
  }

  private static Diagnostic refused(Selection rule, String reason, String help) {
    return ErrorCode.NOT_IN_ALERT.at(rule.range(), reason).withHelp(help);
  }
}
