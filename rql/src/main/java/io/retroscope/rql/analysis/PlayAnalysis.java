// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Node;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The analysis of the clause PLAY: the types of its expressions, and which parts fit together. */
final class PlayAnalysis {
  /** The largest number of steps: more strikes than this cannot be counted by ear. */
  static final int MAX_STEPS = 4;

  /** The shortest time between the bursts of an alarm. */
  static final long LEAST_ALARM_MICROS = 2_500_000;

  private static final String WITHOUT_FOR =
      "omit FOR, because it sounds each cut at once; AS ALARM and the notes of rows can wait";

  private final Statement.Query query;
  private final Play play;
  private final ExpressionAnalysis expressions;
  private final Names names;
  private final Problems problems;
  private final Operands operands;

  /** The source of a sound, with the parts that it may have. */
  private enum Kind {
    ROWS("the note of a row"),
    LEVELS("LEVEL"),
    BACKGROUND("AS BACKGROUND"),
    ALARM("AS ALARM");

    final String words;

    Kind(String words) {
      this.words = words;
    }

    List<String> parts() {
      return switch (this) {
        case ROWS -> List.of("NOTE", "SCALE", "VELOCITY", "LENGTH", "PAN");
        case LEVELS -> List.of("LEVEL", "EACH", "PLACE", "SCALE", "LENGTH", "EVERY");
        case BACKGROUND -> List.of("FOLLOW");
        case ALARM -> List.of("EVERY");
      };
    }

    /** What to write instead of a part that does not fit. */
    String help(String part) {
      return this == ROWS && (part.equals("EACH") || part.equals("PLACE"))
          ? "one voice per node needs LEVEL: EACH n IN NODES : (...) LEVEL x@n PLACE n"
          : "these parts fit: " + String.join(", ", parts());
    }
  }

  PlayAnalysis(
      Statement.Query query,
      Play play,
      ExpressionAnalysis expressions,
      Names names,
      Problems problems) {
    this.query = query;
    this.play = play;
    this.expressions = expressions;
    this.names = names;
    this.problems = problems;
    this.operands = new Operands(problems);
  }

  void check() {
    checkTypes();
    Kind kind = kind();
    parts()
        .forEach(
            (part, range) -> {
              if (!kind.parts().contains(part)) {
                refuse(range, part + " cannot be used with " + kind.words, kind.help(part));
              }
            });
    switch (kind) {
      case ROWS -> {}
      case LEVELS -> checkLevels();
      case BACKGROUND -> checkBackground();
      case ALARM -> checkAlarm();
    }
    if (kind != Kind.ROWS && query.forEach().isPresent()) {
      refuse(play.range(), kind.words + " cannot be used with FOR EACH");
    }
  }

  private void checkTypes() {
    number(play.note(), "NOTE");
    number(play.velocity(), "VELOCITY");
    number(play.pan(), "PAN");
    number(play.follow().map(Play.Follow::value), "FOLLOW");
    play.each().ifPresent(each -> names.bind(each.node().text()));
    play.each()
        .map(Play.EachNode::predicate)
        .ifPresent(predicate -> operands.condition(predicate, expressions.type(predicate), "EACH"));
    number(play.level().map(Play.Level::value), "LEVEL");
    play.each().ifPresent(each -> names.unbind(each.node().text()));
  }

  private void number(Optional<Expression> part, String word) {
    part.ifPresent(value -> operands.number(value, expressions.type(value), word));
  }

  private Kind kind() {
    return switch (play.layerOrMark()) {
      case MARK -> play.level().isPresent() ? Kind.LEVELS : Kind.ROWS;
      case BACKGROUND -> Kind.BACKGROUND;
      case ALARM -> Kind.ALARM;
    };
  }

  /** The parts that the clause has, with their places. */
  private Map<String, SourceRange> parts() {
    Map<String, SourceRange> parts = new LinkedHashMap<>();
    add(parts, "EACH", play.each());
    add(parts, "LEVEL", play.level());
    add(parts, "NOTE", play.note());
    add(parts, "SCALE", play.scale().map(scale -> play));
    add(parts, "VELOCITY", play.velocity());
    add(parts, "LENGTH", whole(play.lengthMicros()));
    add(parts, "PAN", play.pan());
    add(parts, "PLACE", play.place());
    add(parts, "FOLLOW", play.follow());
    add(parts, "EVERY", whole(play.everyMicros()));
    return parts;
  }

  private Optional<Node> whole(OptionalLong micros) {
    return micros.isPresent() ? Optional.of(play) : Optional.empty();
  }

  private static void add(
      Map<String, SourceRange> parts, String word, Optional<? extends Node> part) {
    part.ifPresent(found -> parts.put(word, found.range()));
  }

  private void refuse(SourceRange range, String message) {
    problems.add(ErrorCode.BAD_SOUND.at(range, message));
  }

  private void refuse(SourceRange range, String message, String help) {
    problems.add(ErrorCode.BAD_SOUND.at(range, message).withHelp(help));
  }

  private void checkLevels() {
    Play.Level level = play.level().orElseThrow();
    List<Double> steps = level.steps();
    boolean rise = true;
    for (int i = 1; i < steps.size(); i++) {
      rise &= steps.get(i - 1) < steps.get(i);
    }
    if (!rise || steps.size() > MAX_STEPS) {
      refuse(
          level.range(), "STEPS takes up to " + MAX_STEPS + " numbers, each above the one before");
    }
    play.place()
        .filter(place -> !isEachNode(place.text()))
        .ifPresent(
            place -> refuse(place.range(), "PLACE takes the name that EACH binds to a node"));
    query
        .when()
        .filter(when -> when.forMicros().isPresent())
        .ifPresent(
            when -> refuse(when.range(), "LEVEL cannot be used with WHEN ... FOR", WITHOUT_FOR));
    if (play.everyMicros().orElse(1) == 0) {
      refuse(play.range(), "EVERY must be more than 0");
    }
  }

  private boolean isEachNode(String name) {
    return play.each().filter(each -> each.node().text().equals(name)).isPresent();
  }

  private void checkBackground() {
    if (play.follow().isEmpty()) {
      refuse(play.range(), "a background needs FOLLOW ... RANGE ... TO ...");
    }
    play.follow()
        .filter(follow -> follow.low() == follow.high())
        .ifPresent(follow -> refuse(follow.range(), "RANGE takes two different numbers"));
    query
        .when()
        .filter(when -> when.forMicros().isPresent())
        .ifPresent(
            when ->
                refuse(
                    when.range(), "AS BACKGROUND cannot be used with WHEN ... FOR", WITHOUT_FOR));
  }

  private void checkAlarm() {
    if (query.when().isEmpty()) {
      refuse(play.range(), "an alarm needs WHEN");
    }
    if (play.everyMicros().orElse(LEAST_ALARM_MICROS) < LEAST_ALARM_MICROS) {
      refuse(play.range(), "EVERY of an alarm must be at least 2.5 s");
    }
  }
}
