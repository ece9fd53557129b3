// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import java.util.List;
import java.util.stream.Collectors;

/** A formatter of the clause PLAY, with its parts in the order of the reference. */
final class PlayFormatter {
  private final StringBuilder text = new StringBuilder();

  private PlayFormatter() {}

  static String text(Play play) {
    PlayFormatter formatter = new PlayFormatter();
    formatter.add("PLAY", Literals.string(play.instrument()));
    play.layer().ifPresent(layer -> formatter.add("AS", layer.name()));
    play.each().ifPresent(formatter::each);
    play.level().ifPresent(formatter::level);
    play.note().ifPresent(note -> formatter.add("NOTE", note));
    play.scale().ifPresent(scale -> formatter.add("SCALE", scale.name()));
    play.velocity().ifPresent(velocity -> formatter.add("VELOCITY", velocity));
    play.lengthMicros().ifPresent(micros -> formatter.add("LENGTH", Literals.duration(micros)));
    play.pan().ifPresent(pan -> formatter.add("PAN", pan));
    play.place().ifPresent(node -> formatter.add("PLACE", ExpressionFormatter.name(node)));
    play.follow().ifPresent(formatter::follow);
    play.everyMicros().ifPresent(micros -> formatter.add("EVERY", Literals.duration(micros)));
    return formatter.text.toString().strip();
  }

  private void add(String word, Expression expression) {
    add(word, RqlFormatter.format(expression));
  }

  private void add(String word, String rest) {
    text.append(' ').append(word).append(' ').append(rest);
  }

  private void each(Play.EachNode each) {
    add("EACH", ExpressionFormatter.name(each.node()));
    add("IN NODES :", "(" + RqlFormatter.format(each.predicate()) + ")");
  }

  private void level(Play.Level level) {
    add("LEVEL", level.value());
    if (!level.steps().isEmpty()) {
      add("STEPS", "{" + numbers(level.steps()) + "}");
    }
  }

  private static String numbers(List<Double> numbers) {
    return numbers.stream().map(PlayFormatter::number).collect(Collectors.joining(", "));
  }

  private void follow(Play.Follow follow) {
    add("FOLLOW", follow.value());
    add("RANGE", number(follow.low()) + " TO " + number(follow.high()));
  }

  /** Returns a whole number without a point. */
  private static String number(double number) {
    return number == (int) number ? String.valueOf((int) number) : String.valueOf(number);
  }
}
