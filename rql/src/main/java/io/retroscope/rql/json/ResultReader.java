// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * A reader of the lines of a {@link ResultWriter}, which forwards the result to a sink. Used by one
 * thread.
 */
public final class ResultReader {
  private static final String VALUES = "values";
  private static final int DEPTH_IN_STRUCT = JsonValues.MAX_DEPTH - 1;

  private final RowSink sink;
  private final RowCells cells = new RowCells();
  private final StructNames names = new StructNames(VALUES);
  private final RowLine usual = new RowLine(names, cells);
  private Optional<StructValue> problem = Optional.empty();

  /** Creates a reader that forwards rows, warnings and progress to {@code sink}. */
  public ResultReader(RowSink sink) {
    this.sink = sink;
  }

  /** The problem that ended the result, in the form of {@link ProblemJson}. */
  public Optional<StructValue> problem() {
    return problem;
  }

  /**
   * Reads one line of UTF-8, a part of an array, as {@link #line(String)} does.
   *
   * @param from where the line begins
   * @param to where it ends, exclusive
   */
  public boolean line(byte[] bytes, int from, int to) {
    return usual.read(bytes, from, to)
        ? sink.cells(cells)
        : line(new String(bytes, from, to - from, StandardCharsets.UTF_8));
  }

  /**
   * Reads one line.
   *
   * @return whether more lines are wanted: neither after the last one, nor when the sink wants no
   *     more
   * @throws IllegalArgumentException if the line is not part of a result
   */
  public boolean line(String line) {
    try (JsonParser in =
        JsonValues.JSON.createParser(ObjectReadContext.empty(), line.toCharArray())) {
      expect(in.nextToken(), JsonToken.START_OBJECT, line);
      String name = String.valueOf(in.nextName());
      in.nextToken();
      return switch (name) {
        case "columns" -> columns(in);
        case "row" -> row(in) && sink.cells(cells);
        case "late" -> row(in) && sink.late(cells.row());
        case "retracted" -> retracted(in);
        case "warning" -> warning(in.getString());
        case "notice" -> notice(in.getString());
        case "progress" -> progress(in);
        case "problem" -> problem(in);
        case "end" -> false;
        default ->
            throw new IllegalArgumentException(
                "not a line of a result: " + JsonValues.abbreviate(line));
      };
    } catch (JacksonException e) {
      throw new IllegalArgumentException(JsonValues.syntaxError(e), e);
    } catch (JsonFieldException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private boolean columns(JsonParser in) {
    List<Column> columns = new ArrayList<>();
    while (in.nextToken() == JsonToken.START_OBJECT) {
      Map<String, Value> column = JsonValues.struct(in, "columns", JsonValues.MAX_DEPTH);
      columns.add(new Column(text(column, "name"), Value.of(true).equals(column.get("automatic"))));
    }
    sink.columns(columns);
    return true;
  }

  /** Reads a row into the cells; returns true. */
  private boolean row(JsonParser in) {
    long hlc = HlcTimestamp.MIN_PACKED;
    int ordinal = 0;
    Optional<Note> note = Optional.empty();
    cells.clear();
    for (String name = in.nextName(); name != null; name = in.nextName()) {
      JsonToken token = in.nextToken();
      switch (name) {
        case "hlc" -> hlc = HlcTimestamp.parse(in.getString());
        case "ordinal" -> ordinal = (int) JsonValues.integer(in, name);
        case "values" -> {
          expect(token, JsonToken.START_ARRAY, VALUES);
          for (JsonToken t = in.nextToken(); t != JsonToken.END_ARRAY; t = in.nextToken()) {
            cell(in, t);
          }
        }
        case "note" -> note = Optional.of(note(JsonValues.struct(in, name, 1)));
        default -> in.skipChildren();
      }
    }
    cells.identify(hlc, ordinal, note);
    return true;
  }

  private boolean retracted(JsonParser in) {
    Map<String, Value> fields = JsonValues.struct(in, "retracted", 1);
    sink.retracted(StreamPlace.rowOf(text(fields, "row")), HlcTimestamp.parse(text(fields, "hlc")));
    return true;
  }

  private void cell(JsonParser in, JsonToken token) {
    switch (token) {
      case VALUE_NUMBER_INT -> cells.add(JsonValues.integer(in, VALUES));
      case START_OBJECT -> struct(in);
      default ->
          cells.add(JsonValues.ofResult(JsonValues.read(in, token, VALUES, JsonValues.MAX_DEPTH)));
    }
  }

  /** Reads an object, most of which have a field for each node with a number. */
  private void struct(JsonParser in) {
    String name = in.nextName();
    if (name != null && name.startsWith("$")) {
      marked(in, name);
      return;
    }
    cells.addNodes();
    names.begin(cells.size() - 1);
    for (; name != null; name = in.nextName()) {
      String node = names.next(name);
      JsonToken token = in.nextToken();
      if (token == JsonToken.VALUE_NUMBER_INT) {
        cells.addNode(node, JsonValues.integer(in, node));
      } else {
        cells.addNode(node, JsonValues.ofResult(JsonValues.read(in, token, node, DEPTH_IN_STRUCT)));
      }
    }
  }

  /** Reads an object whose first name begins with a dollar sign: most are a timestamp. */
  private void marked(JsonParser in, String first) {
    Value value =
        JsonValues.ofResult(new StructValue(JsonValues.struct(in, first, VALUES, DEPTH_IN_STRUCT)));
    if (value instanceof Value.TimestampValue stamp) {
      cells.addStamp(stamp.packed());
    } else {
      cells.add(value);
    }
  }

  private static Note note(Map<String, Value> fields) {
    return new Note(
        text(fields, "instrument"),
        (int) number(fields, "note"),
        (int) number(fields, "velocity"),
        number(fields, "lengthMicros"),
        fields.get("pan") instanceof DoubleValue pan ? pan.value() : 0);
  }

  private boolean warning(String message) {
    sink.warning(message);
    return true;
  }

  private boolean notice(String sentence) {
    sink.notice(sentence);
    return true;
  }

  private boolean progress(JsonParser in) {
    Map<String, Value> fields = JsonValues.struct(in, "progress", 1);
    sink.progress(number(fields, "cuts"), HlcTimestamp.parse(text(fields, "hlc")));
    return true;
  }

  private boolean problem(JsonParser in) {
    problem = Optional.of(new StructValue(JsonValues.struct(in, "problem", JsonValues.MAX_DEPTH)));
    return false;
  }

  private static String text(Map<String, Value> fields, String name) {
    if (fields.get(name) instanceof StringValue text) {
      return text.value();
    }
    throw new IllegalArgumentException("a line of a result lacks the text \"" + name + "\"");
  }

  private static long number(Map<String, Value> fields, String name) {
    if (fields.get(name) instanceof LongValue number) {
      return number.value();
    }
    throw new IllegalArgumentException("a line of a result lacks the number \"" + name + "\"");
  }

  private static void expect(JsonToken actual, JsonToken expected, String where) {
    if (actual != expected) {
      throw new IllegalArgumentException(
          "expected " + expected + ": " + JsonValues.abbreviate(where));
    }
  }
}
