// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.ast.Expression;

/** The evaluator of an expression, which has either one value or a value at every node. */
sealed interface Translation {
  /** The evaluator of an expression that, by the analysis, has one value. */
  Evaluator one();

  /** The evaluator of an expression that, by the analysis, is a per-node collection. */
  PerNodeEvaluator perNode();

  /** The evaluator of a set; of a per-node collection, the distinct values. */
  Evaluator set();

  /**
   * The evaluator of a printed item; of a per-node collection, a struct with one field per node.
   */
  Evaluator item();

  /** The translation of a field of its structs. */
  Translation field(Expression.Field field);

  /** The elements of an aggregate or a quantifier. */
  ElementSource elements(String taker);

  /** The elements that an aggregate of several arguments takes from one of them. */
  ElementSource elementsOrOne();

  /** An expression with one value. */
  record Single(Evaluator one) implements Translation {
    @Override
    public PerNodeEvaluator perNode() {
      throw new AssertionError("one value where a per-node collection is needed");
    }

    @Override
    public Evaluator set() {
      return one;
    }

    @Override
    public Evaluator item() {
      return one;
    }

    @Override
    public Translation field(Expression.Field field) {
      String name = field.field().text();
      return new Single(NaryOperation.one(field.range(), struct -> Types.field(struct, name), one));
    }

    @Override
    public ElementSource elements(String taker) {
      return ElementSource.ofSet(one, taker);
    }

    @Override
    public ElementSource elementsOrOne() {
      return ElementSource.ofSetOrOne(one);
    }
  }

  /** A per-node collection. */
  record Collection(PerNodeEvaluator perNode) implements Translation {
    @Override
    public Evaluator one() {
      throw new AssertionError("a per-node collection where one value is needed");
    }

    @Override
    public Evaluator set() {
      return perNode.asSet();
    }

    @Override
    public Evaluator item() {
      return perNode.asStruct();
    }

    @Override
    public Translation field(Expression.Field field) {
      return new Collection(perNode.field(field));
    }

    @Override
    public ElementSource elements(String taker) {
      return ElementSource.perNode(perNode);
    }

    @Override
    public ElementSource elementsOrOne() {
      return ElementSource.perNode(perNode);
    }
  }
}
