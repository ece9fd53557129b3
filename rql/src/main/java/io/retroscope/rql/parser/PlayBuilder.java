// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.ast.Scale;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.EachPartContext;
import io.retroscope.rql.parser.generated.RqlParser.EveryPartContext;
import io.retroscope.rql.parser.generated.RqlParser.FollowPartContext;
import io.retroscope.rql.parser.generated.RqlParser.InstrumentContext;
import io.retroscope.rql.parser.generated.RqlParser.LayerPartContext;
import io.retroscope.rql.parser.generated.RqlParser.LengthPartContext;
import io.retroscope.rql.parser.generated.RqlParser.LevelPartContext;
import io.retroscope.rql.parser.generated.RqlParser.NotePartContext;
import io.retroscope.rql.parser.generated.RqlParser.NumberContext;
import io.retroscope.rql.parser.generated.RqlParser.PanPartContext;
import io.retroscope.rql.parser.generated.RqlParser.PlacePartContext;
import io.retroscope.rql.parser.generated.RqlParser.PlayClauseContext;
import io.retroscope.rql.parser.generated.RqlParser.ScalePartContext;
import io.retroscope.rql.parser.generated.RqlParser.VelocityPartContext;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.TerminalNode;

/** A builder of the clause PLAY, whose parts may come in any order. */
final class PlayBuilder extends AlternativeVisitor<Boolean> {
  private final SourceTokens source;
  private final LiteralReader literals;
  private final ExpressionBuilder expressions;
  private final BiConsumer<String, SourceRange> once;

  private Optional<Play.Layer> layer = Optional.empty();
  private Optional<Play.EachNode> each = Optional.empty();
  private Optional<Play.Level> level = Optional.empty();
  private Optional<Expression> note = Optional.empty();
  private Optional<Scale> scale = Optional.empty();
  private Optional<Expression> velocity = Optional.empty();
  private OptionalLong length = OptionalLong.empty();
  private Optional<Expression> pan = Optional.empty();
  private Optional<Identifier> place = Optional.empty();
  private Optional<Play.Follow> follow = Optional.empty();
  private OptionalLong every = OptionalLong.empty();

  /**
   * Creates a builder of one clause.
   *
   * @param once takes the word of each part; a second one is a problem
   */
  PlayBuilder(
      SourceTokens source,
      LiteralReader literals,
      ExpressionBuilder expressions,
      BiConsumer<String, SourceRange> once) {
    this.source = source;
    this.literals = literals;
    this.expressions = expressions;
    this.once = once;
  }

  Play build(PlayClauseContext clause) {
    clause.soundPart().forEach(this::visit);
    return new Play(
        instrument(clause.instrument()),
        layer,
        each,
        level,
        note,
        scale,
        velocity,
        length,
        pan,
        place,
        follow,
        every,
        source.range(clause));
  }

  private String instrument(InstrumentContext context) {
    Token token = context.getStart();
    return token.getType() == RqlLexer.STRING
        ? literals.string(token)
        : expressions.identifier(context).text();
  }

  private void begin(TerminalNode word) {
    once.accept(
        word.getText().toUpperCase(Locale.ROOT), source.range(word.getSymbol(), word.getSymbol()));
  }

  @Override
  public Boolean visitLayerPart(LayerPartContext part) {
    begin(part.AS());
    layer = Optional.of(Play.Layer.valueOf(part.layer.getText().toUpperCase(Locale.ROOT)));
    return true;
  }

  @Override
  public Boolean visitEachPart(EachPartContext part) {
    begin(part.EACH());
    each =
        Optional.of(
            new Play.EachNode(
                expressions.identifier(part.node),
                expressions.visit(part.body),
                source.range(part)));
    return true;
  }

  @Override
  public Boolean visitLevelPart(LevelPartContext part) {
    begin(part.LEVEL());
    level =
        Optional.of(
            new Play.Level(
                expressions.visit(part.expression()),
                part.steps.stream().map(this::number).toList(),
                source.range(part)));
    return true;
  }

  @Override
  public Boolean visitNotePart(NotePartContext part) {
    begin(part.NOTE());
    note = Optional.of(expressions.visit(part.expression()));
    return true;
  }

  @Override
  public Boolean visitScalePart(ScalePartContext part) {
    begin(part.SCALE());
    scale = Optional.of(Scale.valueOf(part.scale.getText().toUpperCase(Locale.ROOT)));
    return true;
  }

  @Override
  public Boolean visitVelocityPart(VelocityPartContext part) {
    begin(part.VELOCITY());
    velocity = Optional.of(expressions.visit(part.expression()));
    return true;
  }

  @Override
  public Boolean visitLengthPart(LengthPartContext part) {
    begin(part.LENGTH());
    length = duration(part.DURATION());
    return true;
  }

  @Override
  public Boolean visitPanPart(PanPartContext part) {
    begin(part.PAN());
    pan = Optional.of(expressions.visit(part.expression()));
    return true;
  }

  @Override
  public Boolean visitPlacePart(PlacePartContext part) {
    begin(part.PLACE());
    place = Optional.of(expressions.identifier(part.node));
    return true;
  }

  @Override
  public Boolean visitFollowPart(FollowPartContext part) {
    begin(part.FOLLOW());
    follow =
        Optional.of(
            new Play.Follow(
                expressions.visit(part.expression()),
                number(part.low),
                number(part.high),
                source.range(part)));
    return true;
  }

  @Override
  public Boolean visitEveryPart(EveryPartContext part) {
    begin(part.EVERY());
    every = duration(part.DURATION());
    return true;
  }

  private OptionalLong duration(TerminalNode literal) {
    return OptionalLong.of(literals.durationMicros(literal.getSymbol(), false));
  }

  private double number(NumberContext context) {
    Value value = literals.value(context.magnitude, context.MINUS() != null);
    return value instanceof LongValue number ? number.value() : ((DoubleValue) value).value();
  }
}
