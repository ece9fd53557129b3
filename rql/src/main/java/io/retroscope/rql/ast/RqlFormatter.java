// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.StringValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * A formatter of statements. The text parses to the same tree except for ranges. Clauses are in the
 * order of the reference, on one line, without a semicolon.
 */
public final class RqlFormatter implements Statement.Visitor<String> {
  private static final RqlFormatter INSTANCE = new RqlFormatter();

  private static final NodeScope.Visitor<List<String>> NODES =
      new NodeScope.Visitor<>() {
        @Override
        public List<String> all(NodeScope.All all) {
          return List.of();
        }

        @Override
        public List<String> live(NodeScope.Live live) {
          return List.of("AT LIVE NODES");
        }

        @Override
        public List<String> listed(NodeScope.Listed listed) {
          return List.of("AT NODES " + names(listed.nodes()));
        }
      };

  private static final OnTime.Visitor<String> TIME =
      new OnTime.Visitor<>() {
        @Override
        public String at(OnTime.At at) {
          return at.point().accept(POINT);
        }

        @Override
        public String between(OnTime.Between between) {
          return between.from().accept(POINT) + " TO " + between.to().accept(POINT);
        }

        @Override
        public String last(OnTime.Last last) {
          return "LAST " + Literals.duration(last.micros());
        }
      };

  private static final TimePoint.Visitor<String> POINT =
      new TimePoint.Visitor<>() {
        @Override
        public String iso(TimePoint.Iso iso) {
          return Literals.string(iso.text());
        }

        @Override
        public String hlc(TimePoint.Hlc hlc) {
          return "hlc'" + HlcTimestamp.text(hlc.packed()) + "'";
        }

        @Override
        public String now(TimePoint.Now now) {
          return now.minusMicros() == 0 ? "NOW" : "NOW - " + Literals.duration(now.minusMicros());
        }
      };

  private RqlFormatter() {}

  /** Returns the text of a statement. */
  public static String format(Statement statement) {
    return statement.accept(INSTANCE);
  }

  /** Returns the text of an expression. */
  public static String format(Expression expression) {
    return ExpressionFormatter.text(expression);
  }

  @Override
  public String show(Statement.Show show) {
    return "SHOW "
        + show.subject()
        + show.log().map(log -> " FROM " + ExpressionFormatter.name(log)).orElse("")
        + show.like().map(pattern -> " LIKE " + Literals.string(pattern)).orElse("");
  }

  @Override
  public String describe(Statement.Describe describe) {
    return "DESCRIBE " + ExpressionFormatter.name(describe.log());
  }

  @Override
  public String forget(Statement.Forget forget) {
    return "FORGET NODE " + ExpressionFormatter.name(forget.node());
  }

  @Override
  public String killQuery(Statement.KillQuery kill) {
    return "KILL QUERY " + kill.id();
  }

  @Override
  public String evaluate(Statement.Evaluate evaluate) {
    return format(evaluate.expression());
  }

  @Override
  public String outerQuery(Statement.OuterQuery query) {
    List<String> parts = new ArrayList<>();
    explain(query.explain(), parts);
    parts.add("SELECT " + items(query.items()));
    parts.add("FROM (" + format(query.inner()) + ")");
    query.alias().ifPresent(alias -> parts.add("AS " + ExpressionFormatter.name(alias)));
    query.where().ifPresent(where -> parts.add("WHERE " + format(where)));
    if (!query.groupBy().isEmpty()) {
      parts.add(
          "GROUP BY "
              + query.groupBy().stream()
                  .map(RqlFormatter::format)
                  .collect(Collectors.joining(", ")));
    }
    if (!query.orderBy().isEmpty()) {
      parts.add(
          "ORDER BY "
              + query.orderBy().stream().map(RqlFormatter::key).collect(Collectors.joining(", ")));
    }
    query.limit().ifPresent(limit -> parts.add("LIMIT " + limit));
    return String.join(" ", parts);
  }

  private static String key(Statement.SortKey key) {
    return format(key.expression())
        + (key.descending() ? " DESC" : "")
        + (key.nullsFirst() ? " NULLS FIRST" : "");
  }

  private static void explain(Statement.Explain explain, List<String> parts) {
    switch (explain) {
      case NO -> {}
      case PLAN -> parts.add("EXPLAIN");
      case ANALYZE -> parts.add("EXPLAIN ANALYZE");
    }
  }

  @Override
  public String verdict(Statement.Verdict verdict) {
    List<String> parts = new ArrayList<>();
    explain(verdict.explain(), parts);
    parts.add(verdict.kind().name());
    if (verdict.claim().isEmpty()) {
      parts.add("(" + format(verdict.evidence()) + ")");
    } else {
      Statement.Query walk = verdict.walk();
      parts.add(lasting(verdict.claim().get()));
      parts.add("FROM " + names(walk.logs()));
      walk.forEach().ifPresent(each -> parts.add(forEach(each)));
      placeAndTime(walk, parts);
    }
    return String.join(" ", parts);
  }

  @Override
  public String detection(Statement.Detection detection) {
    List<String> parts = new ArrayList<>();
    explain(detection.explain(), parts);
    parts.add(detection.modality() + " " + format(detection.predicate()));
    parts.add("FROM " + names(detection.walk().logs()));
    placeAndTime(detection.walk(), parts);
    return String.join(" ", parts);
  }

  @Override
  public String declare(Statement.Declare declaration) {
    return "DECLARE %s%s IN %s;"
        .formatted(
            ExpressionFormatter.name(declaration.variable()),
            declaration.type().map(type -> " " + type).orElse(""),
            ExpressionFormatter.name(declaration.log()));
  }

  @Override
  public String createRule(Statement.CreateRule rule) {
    String with =
        rule.settings().stream().map(RqlFormatter::setting).collect(Collectors.joining(", "));
    return (rule.replaces() ? "CREATE OR REPLACE " : "CREATE ")
        + (rule.alert() ? "ALERT " : "RULE ")
        + ExpressionFormatter.name(rule.name())
        + (with.isEmpty() ? "" : " WITH (" + with + ")")
        + (" AS (" + format(rule.rule()) + ")");
  }

  private static String setting(Statement.Setting setting) {
    String value =
        setting.value() instanceof DurationValue duration
            ? Literals.duration(duration.micros())
            : Literals.string(((StringValue) setting.value()).value());
    return Arrays.stream(setting.key().split("\\.", 2))
            .map(part -> ExpressionFormatter.name(new Identifier(part, false, setting.range())))
            .collect(Collectors.joining("."))
        + " = "
        + value;
  }

  @Override
  public String alert(Statement.AlertStatement alert) {
    return alert.action()
        + " ALERT "
        + ExpressionFormatter.name(alert.name())
        + alert.item().map(item -> " FOR " + Literals.string(item)).orElse("")
        + (alert.action() == Statement.AlertAction.MUTE
            ? " FOR " + Literals.duration(alert.micros())
            : "");
  }

  @Override
  public String explainCut(Statement.ExplainCut explain) {
    return "EXPLAIN CUT "
        + explain.cut().accept(POINT)
        + explain.item().map(item -> " FOR " + Literals.string(item)).orElse("")
        + " OF "
        + format(explain.rule())
        + depth(explain.depth());
  }

  @Override
  public String explainEpisode(Statement.ExplainEpisode explain) {
    return "EXPLAIN EPISODE " + Literals.string(explain.episode()) + depth(explain.depth());
  }

  private static String depth(OptionalLong depth) {
    return depth.isPresent() ? " DEPTH " + depth.getAsLong() : "";
  }

  private static void placeAndTime(Statement.Query query, List<String> parts) {
    parts.addAll(query.nodes().accept(NODES));
    query.onTime().ifPresent(time -> parts.add("ON TIME " + time.accept(TIME)));
  }

  @Override
  public String query(Statement.Query query) {
    List<String> parts = new ArrayList<>();
    explain(query.explain(), parts);
    parts.add(query.stream() ? "SELECT STREAM" : "SELECT");
    parts.add(items(query.items()));
    parts.add("FROM " + names(query.logs()));
    query.forEach().ifPresent(each -> parts.add(forEach(each)));
    query.compute().ifPresent(compute -> parts.add("COMPUTE " + format(compute)));
    query.when().ifPresent(when -> parts.add("WHEN " + lasting(when)));
    placeAndTime(query, parts);
    query.emit().ifPresent(emit -> parts.add("EMIT " + emit));
    query.limit().ifPresent(limit -> parts.add("LIMIT " + limit));
    if (query.onErrorSkip()) {
      parts.add("ON ERROR SKIP");
    }
    query.play().ifPresent(play -> parts.add(PlayFormatter.text(play)));
    return String.join(" ", parts);
  }

  /** Keeps each item's own text, because it is the column's heading without AS. */
  private static String items(List<Statement.SelectItem> items) {
    return items.isEmpty()
        ? "*"
        : items.stream()
            .map(
                item ->
                    item.text()
                        + item.alias().map(a -> " AS " + ExpressionFormatter.name(a)).orElse(""))
            .collect(Collectors.joining(", "));
  }

  private static String names(List<Identifier> names) {
    return names.stream().map(ExpressionFormatter::name).collect(Collectors.joining(", "));
  }

  private static String forEach(ForEach each) {
    String name = ExpressionFormatter.name(each.name());
    if (each instanceof ForEach.OfVariable variable) {
      String like = variable.like().map(pattern -> " LIKE " + Literals.string(pattern)).orElse("");
      return "FOR EACH VARIABLE " + name + like;
    }
    return each instanceof ForEach.OfValue value
        ? "FOR EACH VALUE " + name + " IN " + ExpressionFormatter.collection(value.values())
        : "FOR EACH NODE " + name;
  }

  private static String lasting(Statement.When when) {
    List<String> parts = new ArrayList<>();
    parts.add(format(when.predicate()));
    when.forMicros().ifPresent(micros -> parts.add("FOR " + Literals.duration(micros)));
    when.response().ifPresent(response -> response(response, parts));
    return String.join(" ", parts);
  }

  private static void response(Response response, List<String> parts) {
    parts.add(response.words());
    parts.add(format(response.expected()));
    response.withinMicros().ifPresent(micros -> parts.add("WITHIN " + Literals.duration(micros)));
    response.excuse().ifPresent(excuse -> parts.add("UNLESS " + format(excuse)));
  }
}
