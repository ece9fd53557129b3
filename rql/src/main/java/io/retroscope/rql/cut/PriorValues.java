package io.retroscope.rql.cut;

import io.retroscope.event.Value;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The values of a variable just before one cut, at the nodes that the cut writes. */
final class PriorValues {
  static final int NONE = -1;

  private long hlc;
  private int count;
  private int[] nodes = new int[2];
  private byte[] kinds = new byte[2];
  private long[] numbers = new long[2];
  private @Nullable Value[] objects = new Value[2];

  /** The number of values kept for the cut at a stamp. */
  int count(long cut) {
    return hlc == cut ? count : 0;
  }

  /** The index of a node's value before the cut at a stamp; NONE if the cut does not write it. */
  int indexOf(int node, long cut) {
    for (int i = 0; i < count(cut); i++) {
      if (nodes[i] == node) {
        return i;
      }
    }
    return NONE;
  }

  int node(int index) {
    return nodes[index];
  }

  byte kind(int index) {
    return kinds[index];
  }

  long number(int index) {
    return numbers[index];
  }

  @Nullable Value object(int index) {
    return objects[index];
  }

  /** Keeps objects in place of numbers, before the numbers are those of another type. */
  void unpack(ValuePacking packing) {
    for (int i = 0; i < count; i++) {
      if (kinds[i] == VariableColumn.PACKED) {
        kinds[i] = VariableColumn.OTHER;
        objects[i] = objects[i] == null ? packing.value(numbers[i]) : objects[i];
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
    if (count == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * count);
      kinds = Arrays.copyOf(kinds, 2 * count);
      numbers = Arrays.copyOf(numbers, 2 * count);
      objects = Arrays.copyOf(objects, 2 * count);
    }
    nodes[count] = node;
    kinds[count] = kind;
    numbers[count] = number;
    objects[count++] = object;
  }
}
