// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The elements of FOR EACH NODE and FOR EACH VALUE. Used by one thread. */
public final class EachElement {
  private final ElementSource source;
  private final SourceRange range;
  private final boolean isNodes;
  private final boolean isPerNode;
  private final int slot;

  /* The elements found last, because most cuts have the same elements. */
  private List<Value> gathered = List.of();
  private List<Value> distinct = List.of();

  /** NODES of the frame in which they were found, which has the same set for the same nodes. */
  private @Nullable SetValue nodes;

  private EachElement(ElementSource source, Expression collection, boolean isPerNode, int slot) {
    this.source = source;
    this.range = collection.range();
    this.isNodes = collection instanceof Expression.Nodes;
    this.isPerNode = isPerNode;
    this.slot = slot;
  }

  /**
   * Translates the collection. The name that FOR EACH binds is the first of all bound names, so its
   * slot follows those of declared names.
   */
  public static EachElement of(Expression collection, Translator translator) {
    return new EachElement(
        translator.elements(collection, "FOR EACH VALUE"),
        collection,
        translator.resolution().isCollection(collection),
        translator.firstBoundSlot());
  }

  /**
   * Returns the distinct elements of the frame's cut, ordered, and the same list if they are the
   * same; NULL is none, and a collection that is NULL has none.
   *
   * @throws EvaluationException if the collection has no elements, or is a variable whose values
   *     are SETs
   */
  public List<Value> now(Frame frame) {
    if (isNodes) {
      SetValue now = frame.nodes();
      if (now.equals(nodes)) {
        return distinct;
      }
      nodes = now;
    }
    Elements elements = new Elements();
    if (!isKnown(frame, elements)) {
      return List.of();
    }
    if (!gathered.equals(elements.values())) {
      gathered = List.copyOf(elements.values());
      TreeSet<Value> sorted = new TreeSet<>(gathered);
      sorted.removeIf(Types::isNull);
      distinct = List.copyOf(sorted);
    }
    return distinct;
  }

  private boolean isKnown(Frame frame, Elements elements) {
    try {
      boolean known = source.gather(frame, elements);
      if (isPerNode) {
        rejectSets(elements);
      }
      return known;
    } catch (EvaluationException e) {
      throw e.at(range);
    }
  }

  private static void rejectSets(Elements elements) {
    if (ElementTypes.areSets(elements.values())) {
      throw Types.wrong("FOR EACH VALUE would bind the SETs of the nodes, not their elements")
          .withHelp(ElementTypes.FLATTEN);
    }
  }

  /** Binds the name to an element for all evaluations in a frame. */
  public void bind(Frame frame, Value element) {
    frame.bind(slot, element, NodeTable.NONE);
  }
}
