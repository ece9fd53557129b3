// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The cells of one row at a time, as numbers where possible, so that a row without other values is
 * written without an object of its own. The engine fills the same cells again for the next row: a
 * receiver that keeps a row takes {@link #row}. Used by one thread.
 */
public final class RowCells {
  /** The content of a cell, or of one node in a cell of nodes. */
  public enum Kind {
    /** A value, see {@link #value}. */
    VALUE,
    /** A LONG, see {@link #number}. */
    LONG,
    /** A TIMESTAMP, whose packed stamp is the {@link #number}. */
    STAMP,
    /** A STRING, which is {@link HlcTimestamp#isoMicros} of the {@link #number}. */
    TIME,
    /** A STRUCT with a field for each of its nodes, from {@link #firstNode} to {@link #endNode}. */
    NODES
  }

  private long hlc;
  private int ordinal;
  private Optional<Note> note = Optional.empty();
  private int size;
  private Kind[] kinds = new Kind[8];
  private long[] numbers = new long[8];
  private Value[] values = new Value[8];
  private int[] nodeEnds = new int[8];

  private int nodeCount;
  private String[] nodes = new String[8];
  private boolean[] areLongs = new boolean[8];
  private long[] nodeNumbers = new long[8];
  private Value[] nodeValues = new Value[8];

  /** Removes all cells. */
  public void clear() {
    size = 0;
    nodeCount = 0;
    note = Optional.empty();
  }

  /**
   * Sets what a row has beside its cells.
   *
   * @param hlc as in {@link Row}
   * @param ordinal as in {@link Row}
   * @param note as in {@link Row}
   */
  public void identify(long hlc, int ordinal, Optional<Note> note) {
    this.hlc = hlc;
    this.ordinal = ordinal;
    this.note = note;
  }

  /** Replaces everything by the content of a row. */
  public void load(Row row) {
    clear();
    identify(row.hlc(), row.ordinal(), row.note());
    for (int i = 0; i < row.values().size(); i++) {
      add(row.values().get(i));
    }
  }

  /** Adds a cell with a value. */
  public void add(Value value) {
    int cell = next(Kind.VALUE, 0);
    values[cell] = value;
  }

  /** Adds a cell with a LONG. */
  public void add(long number) {
    next(Kind.LONG, number);
  }

  /** Adds a cell with the TIMESTAMP of a packed stamp. */
  public void addStamp(long packed) {
    next(Kind.STAMP, packed);
  }

  /** Adds a cell with the text of a time in microseconds since the Unix epoch. */
  public void addTime(long micros) {
    next(Kind.TIME, micros);
  }

  /** Replaces the number of a cell that has one. */
  public void setNumber(int cell, long number) {
    numbers[cell] = number;
  }

  /** Makes a cell a LONG. */
  public void setLong(int cell, long number) {
    kinds[cell] = Kind.LONG;
    numbers[cell] = number;
  }

  /** Adds a STRUCT, which has the nodes that follow. */
  public void addNodes() {
    int cell = next(Kind.NODES, nodeCount);
    nodeEnds[cell] = nodeCount;
  }

  /** Adds a node with a LONG to the last cell, which is a STRUCT. */
  public void addNode(String node, long number) {
    int next = nextNode(node);
    areLongs[next] = true;
    nodeNumbers[next] = number;
  }

  /** Adds a node with a value to the last cell, which is a STRUCT. */
  public void addNode(String node, Value value) {
    int next = nextNode(node);
    areLongs[next] = false;
    nodeValues[next] = value;
  }

  /** Adds nodes with a LONG each to the last cell, which is a STRUCT. Both arrays are copied. */
  public void addNodes(String[] names, long[] longs) {
    int end = nodeCount + names.length;
    ensureNodes(end);
    System.arraycopy(names, 0, nodes, nodeCount, names.length);
    System.arraycopy(longs, 0, nodeNumbers, nodeCount, names.length);
    Arrays.fill(areLongs, nodeCount, end, true);
    nodeCount = end;
    nodeEnds[size - 1] = end;
  }

  private int next(Kind kind, long number) {
    if (size == numbers.length) {
      int capacity = 2 * size;
      kinds = Arrays.copyOf(kinds, capacity);
      numbers = Arrays.copyOf(numbers, capacity);
      values = Arrays.copyOf(values, capacity);
      nodeEnds = Arrays.copyOf(nodeEnds, capacity);
    }
    kinds[size] = kind;
    numbers[size] = number;
    return size++;
  }

  private int nextNode(String node) {
    ensureNodes(nodeCount + 1);
    nodes[nodeCount] = node;
    nodeEnds[size - 1] = nodeCount + 1;
    return nodeCount++;
  }

  private void ensureNodes(int count) {
    if (count > nodes.length) {
      int capacity = Math.max(count, 2 * nodeCount);
      nodes = Arrays.copyOf(nodes, capacity);
      areLongs = Arrays.copyOf(areLongs, capacity);
      nodeNumbers = Arrays.copyOf(nodeNumbers, capacity);
      nodeValues = Arrays.copyOf(nodeValues, capacity);
    }
  }

  /** The packed stamp of the cut that made the row. */
  public long hlc() {
    return hlc;
  }

  /** The number of the row among those of its stamp. */
  public int ordinal() {
    return ordinal;
  }

  /** The note of the row, if the query has PLAY. */
  public Optional<Note> note() {
    return note;
  }

  /** The number of cells. */
  public int size() {
    return size;
  }

  /** The kind of a cell, from 0. */
  public Kind kind(int cell) {
    return kinds[cell];
  }

  /** The number of a cell of kind LONG, STAMP or TIME. */
  public long number(int cell) {
    return numbers[cell];
  }

  /** The value of a cell of kind VALUE. */
  public Value value(int cell) {
    return values[cell];
  }

  /** The first node of a cell of kind NODES. */
  public int firstNode(int cell) {
    return (int) numbers[cell];
  }

  /** The end of the nodes of a cell of kind NODES, exclusive. */
  public int endNode(int cell) {
    return nodeEnds[cell];
  }

  /** The name of a node. Equal nodes of several rows usually have the same object. */
  public String node(int node) {
    return nodes[node];
  }

  /** Whether the node has a {@link #nodeNumber} rather than a {@link #nodeValue}. */
  public boolean isNodeLong(int node) {
    return areLongs[node];
  }

  /** The LONG of a node. */
  public long nodeNumber(int node) {
    return nodeNumbers[node];
  }

  /** The value of a node. */
  public Value nodeValue(int node) {
    return nodeValues[node];
  }

  /** Returns the row, which later changes of the cells do not affect. */
  public Row row() {
    List<Value> all = new ArrayList<>(size);
    for (int cell = 0; cell < size; cell++) {
      all.add(object(cell));
    }
    return new Row(hlc, ordinal, all, note);
  }

  private Value object(int cell) {
    return switch (kinds[cell]) {
      case VALUE -> values[cell];
      case LONG -> new LongValue(numbers[cell]);
      case STAMP -> new TimestampValue(numbers[cell]);
      case TIME -> Value.of(HlcTimestamp.isoMicros(numbers[cell]));
      case NODES -> struct(cell);
    };
  }

  private StructValue struct(int cell) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int node = firstNode(cell); node < endNode(cell); node++) {
      Value value = areLongs[node] ? new LongValue(nodeNumbers[node]) : nodeValues[node];
      fields.put(nodes[node], value);
    }
    return new StructValue(fields);
  }
}
