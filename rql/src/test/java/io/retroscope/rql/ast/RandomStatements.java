// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.Statement.Explain;
import io.retroscope.rql.ast.Statement.Subject;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;

/** A generator of statements that the grammar allows, whether they are meaningful or not. */
public final class RandomStatements {
  private static final SourceRange NOWHERE = new SourceRange(0, 0);
  private static final List<String> NAMES =
      List.of("r1", "term", "count", "note", "length", "time", "to", "name", "größe", "_x", "show");
  private static final List<String> ODD_NAMES =
      List.of("zk-2", "select", "a b", "tick`tock", "10.0.0.1", "ünï", "/r1", "--", "'");
  private static final List<String> ANY_WORDS =
      List.of("select", "From", "nodes", "in", "true", "r1", "leader", "count");
  private static final List<String> FUNCTIONS = List.of("MAX", "Count", "nodes", "prev", "If");
  private static final List<String> STRINGS =
      List.of("", "a", "it's", "\"", "\\", "\\%", "line\nend", "\t", "\u0001", "# no comment", "é");
  private static final List<String> INSTANTS =
      List.of("2026-11-21T10:00:00Z", "2026-11-21T11:00:00.123456+01:00");

  private final Random random;

  /** Creates the generator of a seed. */
  public RandomStatements(long seed) {
    random = new Random(seed);
  }

  /** Returns the next statement. */
  public Statement next() {
    return switch (random.nextInt(14)) {
      case 0 -> new Statement.Evaluate(expression(4), NOWHERE);
      case 1 -> show();
      case 2 -> new Statement.Describe(name(), NOWHERE);
      case 3 -> new Statement.Forget(name(), NOWHERE);
      case 4 -> outerQuery();
      case 5 ->
          new Statement.Verdict(
              pick(List.of(Explain.values())),
              Statement.Claim.NEVER,
              Optional.empty(),
              random.nextBoolean() ? inner(outerQuery()) : innerQuery(),
              NOWHERE);
      case 6 -> detection();
      case 7 ->
          new Statement.ExplainCut(
              new TimePoint.Hlc(random.nextInt(1_000_000), NOWHERE),
              random.nextBoolean() ? Optional.of(pick(STRINGS)) : Optional.empty(),
              innerQuery(),
              random.nextBoolean() ? OptionalLong.of(random.nextInt(9)) : OptionalLong.empty(),
              NOWHERE);
      case 8 -> new Statement.ExplainEpisode(pick(STRINGS), OptionalLong.empty(), NOWHERE);
      case 9 ->
          new Statement.Declare(
              name(),
              random.nextBoolean() ? Optional.of(pick(Statement.Declare.TYPES)) : Optional.empty(),
              name(),
              NOWHERE);
      default -> query();
    };
  }

  private Statement detection() {
    Expression predicate = expression(3);
    Statement.SelectItem nothing =
        new Statement.SelectItem(
            new Expression.Literal(Value.of(true), NOWHERE), Optional.empty(), "TRUE", NOWHERE);
    Statement.Query walk =
        new Statement.Query(
            Explain.NO,
            false,
            List.of(nothing),
            List.of(name()),
            Clauses.NONE.toBuilder()
                .when(Optional.of(new Statement.When(predicate, OptionalLong.empty(), NOWHERE)))
                .onTime(new OnTime.Last(1 + random.nextInt(1_000), NOWHERE))
                .build(),
            NOWHERE);
    return new Statement.Detection(
        pick(List.of(Explain.values())), pick(List.of(Statement.Modality.values())), walk, NOWHERE);
  }

  private Statement show() {
    Subject subject = pick(List.of(Subject.values()));
    boolean variables = subject == Subject.VARIABLES;
    return new Statement.Show(
        subject,
        variables ? maybe(this::name) : Optional.empty(),
        variables ? maybe(() -> pick(STRINGS)) : Optional.empty(),
        NOWHERE);
  }

  private Statement.Selection outerQuery() {
    return new Statement.OuterQuery(
        pick(List.of(Explain.values())),
        random.nextInt(5) == 0 ? List.of() : some(this::item),
        random.nextInt(3) == 0 ? inner(outerQuery()) : innerQuery(),
        maybe(() -> new Identifier("t", false, NOWHERE)),
        maybe(() -> expression(3)),
        random.nextBoolean() ? List.of() : some(() -> expression(2)),
        random.nextBoolean() ? List.of() : some(this::sortKey),
        random.nextBoolean() ? OptionalLong.of(random.nextInt(100)) : OptionalLong.empty(),
        NOWHERE);
  }

  private Statement.SortKey sortKey() {
    return new Statement.SortKey(
        expression(2), random.nextBoolean(), random.nextBoolean(), NOWHERE);
  }

  private static Statement.Selection inner(Statement.Selection selection) {
    Statement.OuterQuery query = (Statement.OuterQuery) selection;
    return new Statement.OuterQuery(
        Explain.NO,
        query.items(),
        query.inner(),
        query.alias(),
        query.where(),
        query.groupBy(),
        query.orderBy(),
        query.limit(),
        NOWHERE);
  }

  /** A query that is neither explained nor a STREAM, and has no sound. */
  private Statement.Selection innerQuery() {
    return query(Explain.NO, false, Optional.empty());
  }

  private Statement.Selection query() {
    return query(pick(List.of(Explain.values())), random.nextBoolean(), maybe(this::play));
  }

  private Statement.Selection query(Explain explain, boolean stream, Optional<Play> play) {
    return new Statement.Query(
        explain,
        stream,
        random.nextInt(5) == 0 ? List.of() : some(this::item),
        some(this::name),
        clauses(play),
        NOWHERE);
  }

  private Clauses clauses(Optional<Play> play) {
    return new Clauses(
        maybe(this::forEach),
        maybe(() -> expression(4)),
        maybe(
            () -> new Statement.When(expression(4), maybeMicros(), maybe(this::response), NOWHERE)),
        nodes(),
        maybe(this::onTime),
        maybe(() -> pick(List.of(Emit.values()))),
        random.nextBoolean() ? OptionalLong.of(random.nextInt(100)) : OptionalLong.empty(),
        random.nextBoolean(),
        play);
  }

  private ForEach forEach() {
    return switch (random.nextInt(3)) {
      case 0 -> new ForEach.OfVariable(name(), maybe(() -> pick(STRINGS)), NOWHERE);
      case 1 -> new ForEach.OfNode(name(), new Expression.Nodes(NOWHERE), NOWHERE);
      default -> new ForEach.OfValue(name(), expression(2), NOWHERE);
    };
  }

  private Response response() {
    boolean then = random.nextBoolean();
    return new Response(
        then ? Response.Order.THEN : Response.Order.AFTER,
        random.nextBoolean(),
        expression(2),
        then ? OptionalLong.of(random.nextInt(1_000)) : maybeMicros(),
        then ? maybe(() -> expression(2)) : Optional.empty(),
        NOWHERE);
  }

  private Play play() {
    return new Play(
        pick(List.of("woodblock", "Acoustic Grand Piano", "it's")),
        maybe(() -> pick(List.of(Play.Layer.values()))),
        maybe(() -> new Play.EachNode(name(), expression(2), NOWHERE)),
        maybe(() -> new Play.Level(expression(2), maybe(this::numbers).orElse(List.of()), NOWHERE)),
        maybe(() -> expression(2)),
        maybe(() -> pick(List.of(Scale.values()))),
        maybe(() -> expression(2)),
        maybeMicros(),
        maybe(() -> expression(2)),
        maybe(this::name),
        maybe(() -> new Play.Follow(expression(2), number(), number(), NOWHERE)),
        maybeMicros(),
        NOWHERE);
  }

  private List<Double> numbers() {
    return some(this::number);
  }

  private double number() {
    return random.nextBoolean() ? random.nextInt(20) - 10 : random.nextGaussian() * 1e12;
  }

  private Statement.SelectItem item() {
    Expression expression = expression(3);
    return new Statement.SelectItem(
        expression, maybe(this::anyName), RqlFormatter.format(expression), NOWHERE);
  }

  private NodeScope nodes() {
    return switch (random.nextInt(3)) {
      case 0 -> new NodeScope.All();
      case 1 -> new NodeScope.Live(NOWHERE);
      default -> new NodeScope.Listed(some(this::node), NOWHERE);
    };
  }

  private OnTime onTime() {
    return switch (random.nextInt(3)) {
      case 0 -> new OnTime.At(point(), NOWHERE);
      case 1 -> new OnTime.Between(point(), point(), NOWHERE);
      default -> new OnTime.Last(micros(), NOWHERE);
    };
  }

  private TimePoint point() {
    return switch (random.nextInt(3)) {
      case 0 -> {
        String text = pick(INSTANTS);
        long micros = text.endsWith("Z") ? 1_795_255_200_000_000L : 1_795_255_200_123_456L;
        yield new TimePoint.Iso(text, micros, NOWHERE);
      }
      case 1 -> new TimePoint.Hlc(random.nextLong(), NOWHERE);
      default -> new TimePoint.Now(random.nextBoolean() ? 0 : micros(), NOWHERE);
    };
  }

  /** Returns an expression of limited depth. */
  public Expression expression(int depth) {
    return depth == 0 ? leaf() : inner(depth - 1);
  }

  private Expression leaf() {
    return switch (random.nextInt(4)) {
      case 0 -> new Expression.Name(name(), NOWHERE);
      case 1 -> new Expression.Nodes(NOWHERE);
      case 2 ->
          new Expression.Declaration(pick(List.of(DeclarationKind.values())), name(), NOWHERE);
      default -> new Expression.Literal(value(), NOWHERE);
    };
  }

  private Expression inner(int depth) {
    Supplier<Expression> e = () -> expression(random.nextInt(depth + 1));
    return switch (random.nextInt(13)) {
      case 0 -> new Expression.Field(e.get(), anyName(), NOWHERE);
      case 1 -> new Expression.AtNode(e.get(), nodeReference(e), NOWHERE);
      case 2 -> unary(e.get());
      case 3 -> new Expression.IsNull(e.get(), random.nextBoolean(), NOWHERE);
      case 4 -> new Expression.Conditional(e.get(), e.get(), e.get(), NOWHERE);
      case 5, 6 ->
          new Expression.Quantified(
              pick(List.of(Quantifier.values())), some(this::name), e.get(), e.get(), NOWHERE);
      case 7 -> call(e);
      case 8 -> new Expression.SetLiteral(random.nextInt(4) == 0 ? List.of() : some(e), NOWHERE);
      case 9 -> new Expression.Assignment(name(), e.get(), NOWHERE);
      default ->
          new Expression.Binary(pick(List.of(BinaryOperator.values())), e.get(), e.get(), NOWHERE);
    };
  }

  private Expression call(Supplier<Expression> e) {
    Identifier function = new Identifier(pick(FUNCTIONS), false, NOWHERE);
    boolean empty = random.nextInt(4) == 0;
    return new Expression.Call(
        function, !empty && random.nextBoolean(), empty ? List.of() : some(e), NOWHERE);
  }

  private static Expression unary(UnaryOperator operator, Expression operand) {
    return new Expression.Unary(operator, operand, NOWHERE);
  }

  private Expression unary(Expression operand) {
    return unary(pick(List.of(UnaryOperator.values())), operand);
  }

  private NodeReference nodeReference(Supplier<Expression> e) {
    return random.nextBoolean()
        ? new NodeReference.Computed(e.get(), NOWHERE)
        : new NodeReference.Named(node(), NOWHERE);
  }

  private Value value() {
    return switch (random.nextInt(7)) {
      case 0 -> Value.NullValue.NULL;
      case 1 -> Value.of(random.nextBoolean());
      case 2 -> Value.of(random.nextBoolean() ? random.nextLong() : Long.MIN_VALUE);
      case 3 -> Value.of(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
      case 4 -> new Value.DurationValue(random.nextBoolean() ? micros() : -micros());
      case 5 -> new Value.TimestampValue(random.nextLong());
      default -> Value.of(pick(STRINGS));
    };
  }

  private long micros() {
    return random.nextInt(1000) * pick(List.of(1L, 1_000L, 60_000_000L, 86_400_000_000L));
  }

  private OptionalLong maybeMicros() {
    return random.nextBoolean() ? OptionalLong.of(micros()) : OptionalLong.empty();
  }

  private Identifier name() {
    return random.nextInt(4) == 0
        ? new Identifier(pick(ODD_NAMES), true, NOWHERE)
        : new Identifier(pick(NAMES), false, NOWHERE);
  }

  private Identifier anyName() {
    return random.nextBoolean() ? name() : new Identifier(pick(ANY_WORDS), false, NOWHERE);
  }

  private Identifier node() {
    return random.nextInt(3) == 0
        ? new Identifier(pick(List.of("1", "42", "007")), false, NOWHERE)
        : anyName();
  }

  private <T> List<T> some(Supplier<? extends T> element) {
    List<T> elements = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      elements.add(element.get());
    }
    return elements;
  }

  private <T> Optional<T> maybe(Supplier<? extends T> element) {
    return random.nextBoolean() ? Optional.of(element.get()) : Optional.empty();
  }

  private <T> T pick(List<? extends T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
