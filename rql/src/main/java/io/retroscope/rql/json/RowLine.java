// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.RowCells;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A reader of lines of a {@link ResultWriter} that are rows of the usual shape, without an object
 * for each part. Used by one thread.
 */
final class RowLine {
  /*
   * The usual shape has ASCII text without escapes, no note, and nothing nested except the nodes of
   * a cell. Everything else, including every mistake, is left to ResultReader, which decides what a
   * line means; this must only ever agree with it.
   */
  private final LineScanner in = new LineScanner();
  private final StructNames names;
  private final RowCells cells;

  /** The value that was read last; null if it is a LONG, which is the scanner's number. */
  private @Nullable Value scalar;

  /** Creates a reader of rows into cells. */
  RowLine(StructNames names, RowCells cells) {
    this.names = names;
    this.cells = cells;
  }

  /**
   * Reads a line.
   *
   * @return false if it has not the usual shape; the cells are not valid then
   */
  boolean read(byte[] bytes, int from, int to) {
    in.begin(bytes, from, to);
    try {
      return readRow();
    } catch (JsonFieldException e) {
      return false;
    }
  }

  private boolean readRow() {
    cells.clear();
    if (!in.take("{\"row\":{\"hlc\":") || !in.stamp()) {
      return false;
    }
    long hlc = in.number();
    if (!in.take(",\"ordinal\":") || !in.integer()) {
      return false;
    }
    cells.identify(hlc, (int) in.number(), Optional.empty());
    return in.take(",\"values\":[") && readCells() && in.take("}}");
  }

  private boolean readCells() {
    if (in.take(']')) {
      return true;
    }
    do {
      if (!readCell()) {
        return false;
      }
    } while (in.take(','));
    return in.take(']');
  }

  private boolean readCell() {
    if (in.take("{\"$hlc\":")) {
      return readStamp();
    }
    if (in.take('{')) {
      return !in.take("\"$") && readNodes();
    }
    if (in.time()) {
      cells.addTime(in.number());
      return true;
    }
    if (!readScalar()) {
      return false;
    }
    if (scalar == null) {
      cells.add(in.number());
    } else {
      cells.add(scalar);
    }
    return true;
  }

  /** Reads the rest of an object that may be a timestamp. */
  private boolean readStamp() {
    boolean read = in.peek() == '"' && in.stamp() && in.take('}');
    if (read) {
      cells.addStamp(in.number());
    }
    return read;
  }

  private boolean readNodes() {
    cells.addNodes();
    names.begin(cells.size() - 1);
    if (in.take('}')) {
      return true;
    }
    do {
      if (!readNode()) {
        return false;
      }
    } while (in.take(','));
    return in.take('}');
  }

  private boolean readNode() {
    String name = in.string();
    if (name == null || !in.take(':')) {
      return false;
    }
    String node = names.next(name);
    if (!readScalar()) {
      return false;
    }
    if (scalar == null) {
      cells.addNode(node, in.number());
    } else {
      cells.addNode(node, scalar);
    }
    return true;
  }

  /** Reads a value that is not nested. */
  private boolean readScalar() {
    return switch (in.peek()) {
      case 'n' -> readWord("null", NullValue.NULL);
      case 't' -> readWord("true", BooleanValue.TRUE);
      case 'f' -> readWord("false", BooleanValue.FALSE);
      case '"' -> readText();
      default -> readNumber();
    };
  }

  private boolean readWord(String word, Value value) {
    scalar = value;
    return in.take(word);
  }

  private boolean readText() {
    String text = in.string();
    scalar = text == null ? null : Value.of(text);
    return text != null;
  }

  private boolean readNumber() {
    boolean read = in.value();
    scalar = read && in.isDouble() ? Value.of(Double.longBitsToDouble(in.number())) : null;
    return read;
  }
}
