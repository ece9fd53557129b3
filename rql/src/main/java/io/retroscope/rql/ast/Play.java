// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The clause {@code PLAY instrument ...}.
 *
 * @param instrument as written, without quotes
 * @param layer empty for a mark
 * @param each the nodes that have a voice of their own
 * @param level the value of stretches that sound as steps
 * @param note the key of a row's note
 * @param scale the scale of the keys
 * @param velocity the force of a row's note
 * @param lengthMicros the length of a note
 * @param pan from -1, left, to 1, right
 * @param place the name bound by {@code each}, whose node determines the place
 * @param follow the value that a background follows
 * @param everyMicros the time between repeats
 */
public record Play(
    String instrument,
    Optional<Layer> layer,
    Optional<EachNode> each,
    Optional<Level> level,
    Optional<Expression> note,
    Optional<Scale> scale,
    Optional<Expression> velocity,
    OptionalLong lengthMicros,
    Optional<Expression> pan,
    Optional<Identifier> place,
    Optional<Follow> follow,
    OptionalLong everyMicros,
    SourceRange range)
    implements Node {
  /** The role of a sound. */
  public enum Layer {
    /** Sounds all the time. */
    BACKGROUND,
    /** Sounds when something happens. */
    MARK,
    /** Sounds until it is acknowledged. */
    ALARM
  }

  /** The part {@code EACH n IN NODES : (p)}. */
  public record EachNode(Identifier node, Expression predicate, SourceRange range)
      implements Node {}

  /**
   * The part {@code LEVEL e STEPS {a, b}}.
   *
   * @param steps empty without STEPS
   */
  public record Level(Expression value, List<Double> steps, SourceRange range) implements Node {
    /** Copies the steps. */
    public Level {
      steps = List.copyOf(steps);
    }
  }

  /** The part {@code FOLLOW e RANGE low TO high}. */
  public record Follow(Expression value, double low, double high, SourceRange range)
      implements Node {}

  /** The layer; a mark unless written. */
  public Layer layerOrMark() {
    return layer.orElse(Layer.MARK);
  }

  /** Whether each row has a note: a mark without levels. */
  public boolean soundsRows() {
    return layerOrMark() == Layer.MARK && level.isEmpty();
  }

  /** The roots of the expressions that are evaluated for a row. */
  List<Expression> ofRow() {
    return Stream.of(note, velocity, pan).flatMap(Optional::stream).toList();
  }

  /**
   * The roots of the expressions that are evaluated at every cut, whether it makes a row or not.
   */
  public List<Expression> ofCuts() {
    return Stream.of(
            each.map(EachNode::predicate), level.map(Level::value), follow.map(Follow::value))
        .flatMap(Optional::stream)
        .toList();
  }
}
