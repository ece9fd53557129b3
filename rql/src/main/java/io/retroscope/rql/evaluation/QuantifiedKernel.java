// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static io.retroscope.rql.cut.batch.QuietRule.FALSE;
import static io.retroscope.rql.cut.batch.QuietRule.NULL;
import static io.retroscope.rql.cut.batch.QuietRule.TRUE;
import static io.retroscope.rql.cut.batch.QuietRule.UNKNOWN;

import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.CutBatch.Domain;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A quantifier over NODES or over the values of a variable. If the body is about one variable at
 * the node only, it is evaluated for all nodes at once, and for all writes at once; otherwise once
 * for each binding, as the evaluator does, so that a failure of any is found. Used by one thread.
 */
final class QuantifiedKernel {
  private final Quantifier quantifier;
  private final Names names;
  private final NodeTable nodes;
  private final Predicate body;
  private final double maxBindings;

  /** The only variable that the body uses, at the node; null if it uses anything else. */
  private final @Nullable VariableColumn own;

  private byte[] ofNodes = {};
  private byte[] ofWrites = {};
  private byte[] ofBinding = {};
  private long[] counts = {};

  /* What tally finds: the outcome, and the bindings for which the body surely or maybe is TRUE. */
  private int outcomes;
  private long least;
  private long most;

  /**
   * The names that a quantifier binds.
   *
   * @param values the variable whose values are bound; null for NODES
   * @param columns the variables that the body uses at the nodes that are bound
   * @param boundAtOnce the number of names that are bound in the body, including those outside
   */
  record Names(
      List<Kernel.Binding> list,
      @Nullable VariableColumn values,
      List<VariableColumn> columns,
      int boundAtOnce) {
    /** Whether within bounds all bindings have the same outcomes. */
    boolean haveNumbersAtEach(NodeTable nodes) {
      boolean have = nodes.size() > 0;
      for (int i = 0; i < columns.size() && have; i++) {
        have = columns.get(i).packedCount() == nodes.size();
      }
      return have;
    }
  }

  /**
   * A quantifier.
   *
   * @param maxBindings the number of bindings from which on the quantifier might fail
   */
  QuantifiedKernel(
      Quantifier quantifier,
      Names names,
      Predicate body,
      @Nullable VariableColumn own,
      NodeTable nodes,
      double maxBindings) {
    this.quantifier = quantifier;
    this.names = names;
    this.body = body;
    this.own = own;
    this.nodes = nodes;
    this.maxBindings = maxBindings;
  }

  /** EXISTS or FORALL. */
  Predicate truth() {
    return new Predicate() {
      @Override
      void each(CutBatch batch, byte[] to) {
        int size = batch.size();
        if (isBeyondLimits()) {
          Arrays.fill(to, 0, size, (byte) UNKNOWN);
        } else if (own != null) {
          decideByCounts(own, batch, to);
        } else {
          Arrays.fill(to, 0, size, (byte) ofNone());
          bind(0, batch, () -> Truths.each(table(), to, ofBinding, size, to));
        }
      }

      @Override
      int range(CutBatch batch) {
        return tally(batch) ? outcomes : UNKNOWN;
      }
    };
  }

  /** COUNT. */
  Kernel number() {
    return new Count();
  }

  private final class Count extends Kernel {
    private long[] numbers = {};

    @Override
    int evaluate(CutBatch batch) {
      int size = batch.size();
      numbers = ensureSize(numbers, size);
      values = numbers;
      failures = null;
      if (batch.domain() == Domain.RANGE) {
        boolean isKnown = tally(batch) && outcomes < Truths.FAILURE;
        numbers[0] = least;
        numbers[1] = most;
        return isKnown ? KNOWN : UNKNOWN;
      }
      if (isBeyondLimits()) {
        return UNKNOWN;
      }
      if (own != null) {
        boolean isKnown = count(own, batch);
        values = counts;
        return isKnown ? KNOWN : UNKNOWN;
      }
      byte[] failed = new byte[size];
      Arrays.fill(numbers, 0, size, 0);
      bind(0, batch, () -> add(numbers, failed, size));
      failures = failed;
      return KNOWN;
    }

    private void add(long[] to, byte[] failed, int size) {
      for (int i = 0; i < size; i++) {
        to[i] += ofBinding[i] == TRUE ? 1 : 0;
        failed[i] |= (byte) (ofBinding[i] & Truths.FAILURE);
      }
    }
  }

  private byte[] table() {
    return quantifier == Quantifier.FORALL ? Truths.FORALL : Truths.EXISTS;
  }

  /** The outcome without any binding. */
  private int ofNone() {
    return quantifier == Quantifier.FORALL ? TRUE : FALSE;
  }

  /** Whether the evaluator is needed: values are no numbers, or the bindings may be too many. */
  private boolean isBeyondLimits() {
    boolean isMixed = own != null && own.present() != own.packedCount();
    return isMixed
        || (names.values != null && !names.values.isAllPacked())
        || bindings() >= maxBindings;
  }

  /** The number of bindings of all names that are bound at once, without an overflow. */
  private double bindings() {
    double bindings = 1;
    for (int i = 0; i < names.boundAtOnce; i++) {
      bindings *= nodes.size();
    }
    return bindings;
  }

  /** Decides by the number of nodes at which the body is TRUE; without a value it is NULL there. */
  private void decideByCounts(VariableColumn column, CutBatch batch, byte[] to) {
    if (!count(column, batch)) {
      Arrays.fill(to, 0, batch.size(), (byte) UNKNOWN);
      return;
    }
    boolean exists = quantifier == Quantifier.EXISTS;
    long undecided = exists ? 0 : column.present();
    byte decided = (byte) (exists ? TRUE : FALSE);
    byte otherwise = (byte) (nodes.size() > column.present() ? NULL : ofNone());
    for (int i = 0; i < batch.size(); i++) {
      to[i] = counts[i] == undecided ? otherwise : decided;
    }
  }

  /**
   * Counts the nodes at which the body is TRUE; returns false if it is not TRUE or FALSE at any.
   */
  private boolean count(VariableColumn column, CutBatch batch) {
    boolean isPart = batch.domain() == Domain.PLACES;
    names.list.get(0).isBeforePart = isPart;
    counts = Kernel.ensureSize(counts, batch.size());
    int nodeCount = column.packedCount();
    ofNodes = ensureSize(ofNodes, nodeCount);
    int found = each(batch, Domain.NODES, nodeCount, ofNodes);
    if (isPart) {
      int writeCount = batch.of(column).writeCount();
      ofWrites = ensureSize(ofWrites, writeCount);
      found |= each(batch, Domain.WRITES, writeCount, ofWrites);
      batch.of(column).count(ofNodes, ofWrites, counts);
    } else {
      counts[0] = 0;
      for (int i = 0; i < nodeCount; i++) {
        counts[0] += ofNodes[i] == TRUE ? 1 : 0;
      }
    }
    return (found & (NULL | Truths.FAILURE)) == 0;
  }

  /** Evaluates the body for each value of another domain; returns all outcomes. */
  private int each(CutBatch batch, Domain domain, int size, byte[] to) {
    if (size > 0) {
      int before = batch.size();
      Domain outer = batch.enter(domain, size);
      body.each(batch, to);
      batch.enter(outer, before);
    }
    return Truths.union(to, size);
  }

  private static byte[] ensureSize(byte[] array, int size) {
    return array.length < size ? new byte[Math.max(size, 2 * array.length)] : array;
  }

  /** Evaluates the body for each binding. */
  private void bind(int depth, CutBatch batch, Runnable then) {
    Kernel.Binding name = names.list.get(depth);
    for (int node = 0; node < nodes.size(); node++) {
      if (names.values == null || names.values.isPacked(node)) {
        name.node = node;
        if (depth + 1 < names.list.size()) {
          bind(depth + 1, batch, then);
        } else {
          ofBinding = ensureSize(ofBinding, batch.size());
          body.each(batch, ofBinding);
          then.run();
        }
      }
    }
  }

  /** Finds the possible values within bounds; returns false if that is not known. */
  private boolean tally(CutBatch batch) {
    least = 0;
    most = 0;
    outcomes = ofNone();
    if (isBeyondLimits()) {
      return false;
    }
    tally(0, 1, batch);
    return true;
  }

  private void tally(int depth, long bindings, CutBatch batch) {
    if (depth == names.list.size()) {
      int found = body.range(batch);
      least += found == TRUE ? bindings : 0;
      most += (found & TRUE) != 0 ? bindings : 0;
      outcomes = Truths.of(table(), outcomes, found);
      return;
    }
    Kernel.Binding name = names.list.get(depth);
    if (names.values != null) {
      name.node = NodeTable.NONE;
      tally(depth + 1, bindings * names.values.present(), batch);
    } else if (names.haveNumbersAtEach(nodes)) {
      name.node = 0; // the bounds of all nodes are the same
      tally(depth + 1, bindings * nodes.size(), batch);
    } else {
      for (int node = 0; node < nodes.size(); node++) {
        name.node = node;
        tally(depth + 1, bindings, batch);
      }
    }
  }
}
