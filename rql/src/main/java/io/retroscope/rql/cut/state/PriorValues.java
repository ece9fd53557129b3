// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.Value;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The values of a variable just before one cut, at the nodes that the cut writes. */
final class PriorValues {
  /*
   * Most cuts write a variable at one node. That value is in fields, so that a walk over very many
   * variables touches little memory for each.
   */
  static final int NONE = -1;

  private long hlc;
  private int count;
  private int firstNode;
  private byte firstKind;
  private long firstNumber;
  private @Nullable Value firstObject;

  /* All others. */
  private int[] nodes = {};
  private byte[] kinds = {};
  private long[] numbers = {};
  private @Nullable Value[] objects = {};

  /** The number of values kept for the cut at a stamp. */
  int count(long cut) {
    return hlc == cut ? count : 0;
  }

  /** The index of a node's value before the cut at a stamp; NONE if the cut does not write it. */
  int indexOf(int node, long cut) {
    for (int i = 0; i < count(cut); i++) {
      if (node(i) == node) {
        return i;
      }
    }
    return NONE;
  }

  int node(int index) {
    return index == 0 ? firstNode : nodes[index - 1];
  }

  byte kind(int index) {
    return index == 0 ? firstKind : kinds[index - 1];
  }

  long number(int index) {
    return index == 0 ? firstNumber : numbers[index - 1];
  }

  @Nullable Value object(int index) {
    return index == 0 ? firstObject : objects[index - 1];
  }

  /** Keeps objects in place of numbers, before the numbers are those of another type. */
  void unpack(ValuePacking packing) {
    for (int i = 0; i < count; i++) {
      if (kind(i) == VariableColumn.PACKED) {
        Value known = object(i);
        Value value = known == null ? packing.value(number(i)) : known;
        set(i, node(i), VariableColumn.OTHER, 0, value);
      }
    }
  }

  /** Keeps a value, unless one of its node is kept already. */
  void keep(int node, byte kind, long number, @Nullable Value object, long cut) {
    if (hlc != cut) {
      hlc = cut;
      count = 0;
    }
    if (indexOf(node, cut) != NONE) {
      return;
    }
    if (count > nodes.length) {
      int capacity = 2 * count;
      nodes = Arrays.copyOf(nodes, capacity);
      kinds = Arrays.copyOf(kinds, capacity);
      numbers = Arrays.copyOf(numbers, capacity);
      objects = Arrays.copyOf(objects, capacity);
    }
    set(count++, node, kind, number, object);
  }

  private void set(int index, int node, byte kind, long number, @Nullable Value object) {
    if (index == 0) {
      firstNode = node;
      firstKind = kind;
      firstNumber = number;
      firstObject = object;
    } else {
      nodes[index - 1] = node;
      kinds[index - 1] = kind;
      numbers[index - 1] = number;
      objects[index - 1] = object;
    }
  }
}
