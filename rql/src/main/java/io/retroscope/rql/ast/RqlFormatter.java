package io.retroscope.rql.ast;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement.NodeScope;
import io.retroscope.rql.ast.Statement.OnTime;
import io.retroscope.rql.ast.Statement.TimePoint;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A formatter of statements. The text parses to the same tree except for ranges. Clauses are in the
 * order of the reference, on one line, without a semicolon.
 */
public final class RqlFormatter {
  private RqlFormatter() {}

  /** Returns the text of a statement. */
  public static String format(Statement statement) {
    if (statement instanceof Statement.Query query) {
      return query(query);
    } else if (statement instanceof Statement.Show show) {
      return show(show);
    } else if (statement instanceof Statement.Describe describe) {
      return "DESCRIBE " + ExpressionFormatter.name(describe.log());
    } else if (statement instanceof Statement.Forget forget) {
      return "FORGET NODE " + ExpressionFormatter.name(forget.node());
    } else if (statement instanceof Statement.KillQuery kill) {
      return "KILL QUERY " + kill.id();
    } else if (statement instanceof Statement.Evaluate evaluate) {
      return format(evaluate.expression());
    }
    throw new AssertionError("no statement: " + statement);
  }

  /** Returns the text of an expression. */
  public static String format(Expression expression) {
    return ExpressionFormatter.text(expression);
  }

  private static String show(Statement.Show show) {
    return "SHOW "
        + show.subject()
        + show.log().map(log -> " FROM " + ExpressionFormatter.name(log)).orElse("")
        + show.like().map(pattern -> " LIKE " + Literals.string(pattern)).orElse("");
  }

  private static String query(Statement.Query query) {
    List<String> parts = new ArrayList<>();
    switch (query.explain()) {
      case NO -> {}
      case PLAN -> parts.add("EXPLAIN");
      case ANALYZE -> parts.add("EXPLAIN ANALYZE");
    }
    parts.add(query.stream() ? "SELECT STREAM" : "SELECT");
    parts.add(items(query.items()));
    parts.add("FROM " + names(query.logs()));
    query.forEach().ifPresent(each -> parts.add(forEach(each)));
    query.compute().ifPresent(compute -> parts.add("COMPUTE " + format(compute)));
    query.when().ifPresent(when -> parts.add(when(when)));
    parts.addAll(nodes(query.nodes()));
    query.onTime().ifPresent(time -> parts.add("ON TIME " + time(time)));
    query.emit().ifPresent(emit -> parts.add("EMIT " + emit));
    query.limit().ifPresent(limit -> parts.add("LIMIT " + limit));
    if (query.onErrorSkip()) {
      parts.add("ON ERROR SKIP");
    }
    query.play().ifPresent(play -> parts.add(play(play)));
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

  private static String forEach(Statement.ForEachVariable each) {
    return "FOR EACH VARIABLE "
        + ExpressionFormatter.name(each.variable())
        + each.like().map(pattern -> " LIKE " + Literals.string(pattern)).orElse("");
  }

  private static String when(Statement.When when) {
    String predicate = "WHEN " + format(when.predicate());
    return when.forMicros().isEmpty()
        ? predicate
        : predicate + " FOR " + Literals.duration(when.forMicros().getAsLong());
  }

  private static List<String> nodes(NodeScope scope) {
    if (scope instanceof NodeScope.Listed listed) {
      return List.of("AT NODES " + names(listed.nodes()));
    }
    return scope instanceof NodeScope.Live ? List.of("AT LIVE NODES") : List.of();
  }

  private static String time(OnTime time) {
    if (time instanceof OnTime.At at) {
      return point(at.point());
    } else if (time instanceof OnTime.Between between) {
      return point(between.from()) + " TO " + point(between.to());
    } else if (time instanceof OnTime.Last last) {
      return "LAST " + Literals.duration(last.micros());
    }
    throw new AssertionError("no time: " + time);
  }

  private static String point(TimePoint point) {
    if (point instanceof TimePoint.Iso iso) {
      return Literals.string(iso.text());
    } else if (point instanceof TimePoint.Hlc hlc) {
      return "hlc'" + HlcTimestamp.text(hlc.packed()) + "'";
    } else if (point instanceof TimePoint.Now now) {
      return now.minusMicros() == 0 ? "NOW" : "NOW - " + Literals.duration(now.minusMicros());
    }
    throw new AssertionError("no time: " + point);
  }

  private static String play(Statement.Play play) {
    StringBuilder text = new StringBuilder("PLAY ").append(Literals.string(play.instrument()));
    play.note().ifPresent(note -> text.append(" NOTE ").append(format(note)));
    play.velocity().ifPresent(velocity -> text.append(" VELOCITY ").append(format(velocity)));
    play.lengthMicros()
        .ifPresent(micros -> text.append(" LENGTH ").append(Literals.duration(micros)));
    return text.toString();
  }
}
