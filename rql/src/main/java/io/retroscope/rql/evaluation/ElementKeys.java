// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.Quantifier;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values among which an element of FOR EACH must be for a predicate to be TRUE, so that the
 * questions of all other elements need not be evaluated. Used by one thread.
 *
 * <p>Only a predicate that names the element on one side of {@code =} or to the left of {@code IN}
 * has keys, because such a predicate cannot fail for one element and not for another of the same
 * type.
 */
public final class ElementKeys {
  private final Gathering gathering;

  /** A part of the predicate that adds keys. */
  private interface Gathering {
    /**
     * Adds the keys in the frame's cut.
     *
     * @param families those of elements that can be compared; loses the others
     */
    void gather(Frame frame, Set<Value> keys, Set<Integer> families);
  }

  private ElementKeys(Gathering gathering) {
    this.gathering = gathering;
  }

  /** Returns the keys of a predicate; empty if any element may make it TRUE. */
  public static Optional<ElementKeys> of(Expression predicate, Translator translator) {
    Gathering gathering = new Search(translator).keys(predicate);
    return gathering == null ? Optional.empty() : Optional.of(new ElementKeys(gathering));
  }

  /**
   * Adds the keys in the frame's cut.
   *
   * @param families those of all elements; loses those of elements that make the predicate fail,
   *     because they cannot be compared
   * @throws EvaluationException if a part of the predicate fails whatever the element is
   */
  public void gather(Frame frame, Set<Value> keys, Set<Integer> families) {
    gathering.gather(frame, keys, families);
  }

  /** The search for keys in a predicate. */
  private record Search(Translator translator) {
    @Nullable Gathering keys(Expression e) {
      if (e instanceof Expression.Binary binary) {
        return binary(binary);
      }
      boolean exists =
          e instanceof Expression.Quantified quantified
              && quantified.quantifier() == Quantifier.EXISTS
              && quantified.variables().size() == 1
              && !isMentioned(quantified.collection());
      return exists ? exists((Expression.Quantified) e) : null;
    }

    private @Nullable Gathering binary(Expression.Binary e) {
      return switch (e.operator().kind()) {
        case JUNCTION ->
            e.operator() == BinaryOperator.AND ? and(e) : or(keys(e.left()), keys(e.right()));
        case EQUALITY -> e.operator() == BinaryOperator.EQUAL ? equality(e) : null;
        case MEMBERSHIP ->
            e.operator() == BinaryOperator.IN && isElement(e.left()) ? in(e.right()) : null;
        case ORDER, INCLUSION, LIKENESS, CONTAINMENT, SUM, PRODUCT, SETS, RANGE -> null;
      };
    }

    private @Nullable Gathering equality(Expression.Binary e) {
      return isElement(e.left()) ? equal(e.right()) : isElement(e.right()) ? equal(e.left()) : null;
    }

    /** One operand suffices if the other one cannot fail because of the element. */
    private @Nullable Gathering and(Expression.Binary e) {
      Gathering left = keys(e.left());
      Gathering right = keys(e.right());
      if (left != null && right != null) {
        return (frame, keys, families) -> {
          left.gather(frame, keys, families);
          right.gather(frame, keys, families);
        };
      }
      if (left != null) {
        return isMentioned(e.right()) ? null : left;
      }
      return isMentioned(e.left()) ? null : right;
    }

    private static @Nullable Gathering or(@Nullable Gathering left, @Nullable Gathering right) {
      if (left == null || right == null) {
        return null;
      }
      return (frame, keys, families) -> {
        left.gather(frame, keys, families);
        right.gather(frame, keys, families);
      };
    }

    private @Nullable Gathering equal(Expression other) {
      if (isMentioned(other)) {
        return null;
      }
      Evaluator value = translator.one(other);
      return (frame, keys, families) -> {
        Value key = value.value(frame);
        if (!Types.isNull(key)) {
          keys.add(key);
          families.retainAll(Set.of(key.family()));
        }
      };
    }

    private @Nullable Gathering in(Expression collection) {
      if (isMentioned(collection)) {
        return null;
      }
      ElementSource source = translator.elements(collection, BinaryOperator.IN.symbol());
      return (frame, keys, families) -> {
        Elements elements = new Elements();
        source.gather(frame, elements);
        Set<Integer> comparable = new HashSet<>();
        for (int i = 0; i < elements.count(); i++) {
          Value element = elements.value(i);
          if (!Types.isNull(element)) {
            keys.add(element);
            comparable.add(element.family());
          }
        }
        if (!comparable.isEmpty()) {
          families.retainAll(comparable);
        }
      };
    }

    private @Nullable Gathering exists(Expression.Quantified e) {
      Gathering body = keys(e.body());
      if (body == null) {
        return null;
      }
      int slot = translator.firstSlot(e);
      ElementSource source = translator.elements(e.collection(), e.quantifier().name());
      return (frame, keys, families) -> {
        Elements elements = new Elements();
        source.gather(frame, elements);
        for (int i = 0; i < elements.count(); i++) {
          frame.bind(slot, elements.value(i), elements.node(i));
          body.gather(frame, keys, families);
        }
      };
    }

    private boolean isElement(Expression e) {
      return e instanceof Expression.Name && isBoundFirst(e);
    }

    private boolean isMentioned(Expression e) {
      return e.thisAndAllBelow().stream().anyMatch(this::isBoundFirst);
    }

    /** The name of FOR EACH has the first slot, and no other name has it. */
    private boolean isBoundFirst(Expression e) {
      Resolution resolution = translator.resolution();
      return resolution.bound(e).filter(bound -> bound.slot() == 0).isPresent();
    }
  }
}
