// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.event.EventBody.Operation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The layout of an event's body in the changes of a block: writing, checking and reading. */
final class BodyLayout {
  /*
   * kind           changes, in this order
   *
   * STATE_CHANGE   one or more: operation, variable, value; a set for ADD and REMOVE
   * LOG_LINE       text message; any number of: SET, field, value
   * SEND           text receiver, text identity
   * RECEIVE        text sender, text identity
   * HEARTBEAT      none
   * START          text incarnation, number floor, text predecessor, number spill
   * STOP           none
   *
   * A text is a SET of a STRING, a number a SET of a LONG, both without a name.
   */
  private BodyLayout() {}

  /** Adds the changes of a body to the event begun last. */
  static void write(EventBody body, EventBlockBuilder to) {
    body.accept(new Writer(to));
  }

  /** Adds the changes of a message's send or receive to the event begun last. */
  static EventBlockBuilder writeMessage(String peer, String id, EventBlockBuilder to) {
    return text(id, text(peer, to));
  }

  private static EventBlockBuilder text(String text, EventBlockBuilder to) {
    to.change(Operation.SET, EventBlock.NO_NAME, ValueType.STRING, to.textIndex(text));
    return to;
  }

  private static EventBlockBuilder number(long number, EventBlockBuilder to) {
    to.change(Operation.SET, EventBlock.NO_NAME, ValueType.LONG, number);
    return to;
  }

  private record Writer(EventBlockBuilder to) implements EventBody.Visitor<EventBlockBuilder> {
    @Override
    public EventBlockBuilder stateChange(EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        to.change(change.operation(), to.nameIndex(change.variable()), change.value());
      }
      return to;
    }

    @Override
    public EventBlockBuilder logLine(EventBody.LogLine line) {
      text(line.message(), to);
      line.fields().forEach((field, value) -> to.change(Operation.SET, to.nameIndex(field), value));
      return to;
    }

    @Override
    public EventBlockBuilder send(EventBody.Send send) {
      return writeMessage(send.to(), send.id(), to);
    }

    @Override
    public EventBlockBuilder receive(EventBody.Receive receive) {
      return writeMessage(receive.from(), receive.id(), to);
    }

    @Override
    public EventBlockBuilder heartbeat(EventBody.Heartbeat heartbeat) {
      return to;
    }

    @Override
    public EventBlockBuilder start(EventBody.Start start) {
      text(start.incarnation(), to);
      number(start.floor(), to);
      text(start.predecessor(), to);
      return number(start.spill().code(), to);
    }

    @Override
    public EventBlockBuilder stop(EventBody.Stop stop) {
      return to;
    }
  }

  /** Whether the changes of a row are those of its kind, so that {@link #read} succeeds. */
  static boolean fits(BlockColumns columns, Dictionaries dictionaries, int row) {
    int first = columns.changeStart[row];
    int end = columns.changeStart[row + 1];
    int count = end - first;
    return switch (EventKind.ofCode(columns.kind[row])) {
      case STATE_CHANGE -> count > 0 && areNamed(columns, dictionaries, first, end);
      case LOG_LINE ->
          count > 0 && isText(columns, first) && areNamed(columns, dictionaries, first + 1, end);
      case SEND, RECEIVE -> count == 2 && isText(columns, first) && isText(columns, first + 1);
      case START ->
          count == 4
              && isText(columns, first)
              && isNumber(columns, first + 1)
              && isText(columns, first + 2)
              && isNumber(columns, first + 3)
              && columns.bits[first + 3] >= 0
              && columns.bits[first + 3] < EventBody.Spill.count();
      case HEARTBEAT, STOP -> count == 0;
    };
  }

  private static boolean isText(BlockColumns columns, int change) {
    return columns.name[change] == EventBlock.NO_NAME
        && columns.type[change] == ValueType.STRING.code();
  }

  private static boolean isNumber(BlockColumns columns, int change) {
    return columns.name[change] == EventBlock.NO_NAME
        && columns.type[change] == ValueType.LONG.code();
  }

  private static boolean areNamed(
      BlockColumns columns, Dictionaries dictionaries, int from, int to) {
    for (int change = from; change < to; change++) {
      if (columns.name[change] == EventBlock.NO_NAME || !isOperand(columns, dictionaries, change)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the operand fits the operation: an addition or removal needs a set. */
  private static boolean isOperand(BlockColumns columns, Dictionaries dictionaries, int change) {
    return switch (Operation.ofCode(columns.operation[change])) {
      case SET, UNSET -> true;
      case ADD, REMOVE ->
          columns.type[change] == ValueType.NESTED.code()
              && dictionaries.nested().get((int) columns.bits[change]) instanceof Value.SetValue;
    };
  }

  /** The body of a row. */
  static EventBody read(EventBlock block, int row) {
    int first = block.firstChange(row);
    return switch (block.kind(row)) {
      case STATE_CHANGE -> new EventBody.StateChange(changes(block, first, block.endChange(row)));
      case LOG_LINE ->
          new EventBody.LogLine(block.text(first), fields(block, first + 1, block.endChange(row)));
      case SEND -> new EventBody.Send(block.text(first), block.text(first + 1));
      case RECEIVE -> new EventBody.Receive(block.text(first), block.text(first + 1));
      case HEARTBEAT -> new EventBody.Heartbeat();
      case START ->
          new EventBody.Start(
              block.text(first),
              block.bits(first + 1),
              block.text(first + 2),
              EventBody.Spill.ofCode((int) block.bits(first + 3)));
      case STOP -> new EventBody.Stop();
    };
  }

  private static List<EventBody.Change> changes(EventBlock block, int from, int to) {
    List<EventBody.Change> changes = new ArrayList<>(to - from);
    for (int change = from; change < to; change++) {
      changes.add(
          new EventBody.Change(block.operation(change), name(block, change), block.value(change)));
    }
    return changes;
  }

  private static Map<String, Value> fields(EventBlock block, int from, int to) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int change = from; change < to; change++) {
      fields.put(name(block, change), block.value(change));
    }
    return fields;
  }

  private static String name(EventBlock block, int change) {
    return block.variables().get(block.nameIndex(change));
  }
}
