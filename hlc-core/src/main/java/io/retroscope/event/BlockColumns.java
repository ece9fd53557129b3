package io.retroscope.event;

import java.util.List;

/**
 * The arrays of a block. Filled by whoever builds the block, never written to afterwards, never
 * handed out of this package.
 */
final class BlockColumns {
  static final EventBody.Operation[] OPERATIONS = EventBody.Operation.values();
  static final EventBody.Spill[] SPILLS = EventBody.Spill.values();
  static final int MARKS_MASK = (1 << EventMark.values().length) - 1;

  final List<String> nodes;
  final List<String> logs;
  final List<String> names;
  final List<String> texts;
  final List<Value> nested;

  /* One entry an event; changeStart has one more. */
  final long[] hlc;
  final long[] physical;
  final long[] sequence;
  final byte[] kind;
  final byte[] marks;
  final int[] node;
  final int[] log;
  final int[] changeStart;

  /* One entry a change. */
  final byte[] operation;
  final int[] name;
  final byte[] type;
  final long[] bits;

  BlockColumns(
      List<String> nodes,
      List<String> logs,
      List<String> names,
      List<String> texts,
      List<Value> nested,
      int eventCount,
      int changeCount) {
    this.nodes = List.copyOf(nodes);
    this.logs = List.copyOf(logs);
    this.names = List.copyOf(names);
    this.texts = List.copyOf(texts);
    this.nested = List.copyOf(nested);
    hlc = new long[eventCount];
    physical = new long[eventCount];
    sequence = new long[eventCount];
    kind = new byte[eventCount];
    marks = new byte[eventCount];
    node = new int[eventCount];
    log = new int[eventCount];
    changeStart = new int[eventCount + 1];
    operation = new byte[changeCount];
    name = new int[changeCount];
    type = new byte[changeCount];
    bits = new long[changeCount];
  }
}
