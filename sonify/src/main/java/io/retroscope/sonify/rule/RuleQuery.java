// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.RqlParser;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The query whose rows are the readings of a rule.
 *
 * <p>A rule that sounds rows is queried as written. The readings of a level or a background are one
 * row per cut, whatever the statement emits: a set with one text for each voice, {@code "truth
 * value node"}. Those of an alarm are the edges of WHEN.
 */
final class RuleQuery {
  /** The name in COMPUTE under which the voices are collected, and the heading of their column. */
  private static final String VOICES = "voices of the sound";

  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  private final Query query;
  private final Play play;

  private RuleQuery(Query query, Play play) {
    this.query = query;
    this.play = play;
  }

  /** Returns the text of the query for a statement with PLAY. */
  static String text(Query query, Play play) {
    RuleQuery rule = new RuleQuery(query, play);
    if (play.soundsRows()) {
      return RqlFormatter.format(query);
    }
    return play.layerOrMark() == Play.Layer.ALARM ? rule.edges() : rule.voices();
  }

  /** The statement as written, with an edge for each change of WHEN instead of its own rows. */
  private String edges() {
    return format(query.items(), query.compute(), query.when(), Optional.of(Emit.EDGES));
  }

  private String voices() {
    Query made =
        new RqlParser().parseScript(template()).get(0) instanceof Query parsed ? parsed : query;
    return format(made.items(), made.compute(), Optional.empty(), Optional.empty());
  }

  /** The items and COMPUTE of the query for voices, which need not know the other clauses. */
  private String template() {
    String name = '`' + VOICES + '`';
    Optional<String> own = query.compute().map(e -> '(' + RqlFormatter.format(e) + ')');
    if (play.each().isEmpty()) {
      return "SELECT {%s} AS %s FROM t%s"
          .formatted(voice("''"), name, own.map(compute -> " COMPUTE " + compute).orElse(""));
    }
    String node = RqlFormatter.format(new Expression.Name(play.each().get().node(), NOWHERE));
    return "SELECT %1$s FROM t COMPUTE %2$sVAR %1$s AND (%1$s := {}) AND FOREACH %3$s IN NODES : (%1$s := %1$s UNION {%4$s})"
        .formatted(name, own.map(compute -> compute + " AND ").orElse(""), node, voice(node));
  }

  /** The truth and the value come before the node, whose name may contain blanks. */
  private String voice(String node) {
    return "Concat(%s, ' ', %s, ' ', %s)".formatted(text(truth()), text(value()), node);
  }

  private static String text(String expression) {
    return "Coalesce(String(" + expression + "), 'NULL')";
  }

  private String truth() {
    return Stream.of(
            query.when().map(Statement.When::predicate), play.each().map(Play.EachNode::predicate))
        .flatMap(Optional::stream)
        .map(predicate -> '(' + RqlFormatter.format(predicate) + ')')
        .reduce((when, each) -> when + " AND " + each)
        .orElse("TRUE");
  }

  private String value() {
    return play.level()
        .map(Play.Level::value)
        .or(() -> play.follow().map(Play.Follow::value))
        .map(RqlFormatter::format)
        .orElseThrow(() -> new IllegalArgumentException("a voice needs LEVEL or FOLLOW"));
  }

  private String format(
      List<Statement.SelectItem> items,
      Optional<Expression> compute,
      Optional<Statement.When> when,
      Optional<Emit> emit) {
    return RqlFormatter.format(
        new Query(
            query.explain(),
            query.stream(),
            items,
            query.logs(),
            query.clauses().toBuilder()
                .compute(compute)
                .when(when)
                .emit(emit)
                .limit(OptionalLong.empty())
                .play(Optional.empty())
                .build(),
            NOWHERE));
  }
}
