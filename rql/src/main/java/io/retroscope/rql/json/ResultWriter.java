// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.core.JsonGenerator;

/**
 * A writer of a complete result as lines of JSON without loss of information, which the shell
 * requests from a log server. Each line is an object with one member:
 *
 * <pre>
 * {"columns":[{"name":"hlc","automatic":true},{"name":"r1","automatic":false}]}    once, first
 * {"row":{"hlc":"1795200000000000.3","ordinal":0,"values":[...],"note":{...}}}
 * {"late":{...}}   {"retracted":{"row":"9f3c02d1","hlc":"1795200000000000.3"}}     of a STREAM
 * {"notice":"..."}                                                                 of a STREAM
 * {"warning":"..."}   {"progress":{"cuts":100,"hlc":"1795200000000000.3"}}         anywhere
 * {"problem":{...}}   or   {"end":true}                                            once, last
 * </pre>
 *
 * <p>Values are encoded as elsewhere, except that a DURATION is {@code {"$micros":n}}, a TIMESTAMP
 * {@code {"$hlc":"p.l"}}, and a DOUBLE that JSON does not have {@code {"$double":"NaN"}}; a field
 * name that starts with a dollar sign gets another one in front. A result without its last line is
 * incomplete. Used by one thread.
 */
public final class ResultWriter implements RowSink {
  /** The media type of such a result. */
  public static final String MEDIA_TYPE = "application/vnd.retroscope.result";

  private final Predicate<String> lines;
  private final JsonBuffer buffer = new JsonBuffer();
  private final CellJson json = new CellJson(true);
  private final RowCells loaded = new RowCells();

  /**
   * Creates a writer.
   *
   * @param lines takes each line, without its end; returns whether more are wanted
   */
  public ResultWriter(Predicate<String> lines) {
    this.lines = lines;
  }

  @Override
  public void columns(List<Column> columns) {
    line(
        "columns",
        out -> {
          out.writeStartArray();
          for (Column column : columns) {
            out.writeStartObject();
            out.writeName("name").writeString(column.name());
            out.writeName("automatic").writeBoolean(column.automatic());
            out.writeEndObject();
          }
          out.writeEndArray();
        });
  }

  @Override
  public boolean row(Row row) {
    loaded.load(row);
    return cells(loaded);
  }

  @Override
  public boolean cells(RowCells row) {
    return cells("row", row);
  }

  @Override
  public boolean late(Row row) {
    loaded.load(row);
    return cells("late", loaded);
  }

  private boolean cells(String name, RowCells row) {
    return line(
        name,
        out -> {
          out.writeStartObject();
          out.writeName("hlc").writeString(HlcTimestamp.text(row.hlc()));
          out.writeName("ordinal").writeNumber(row.ordinal());
          out.writeName("values").writeStartArray();
          for (int cell = 0; cell < row.size(); cell++) {
            json.write(out, row, cell);
          }
          out.writeEndArray();
          row.note().ifPresent(note -> RowJson.write(out.writeName("note"), note));
          out.writeEndObject();
        });
  }

  @Override
  public void retracted(long row, long hlc) {
    line(
        "retracted",
        out -> {
          out.writeStartObject();
          out.writeName("row").writeString(StreamPlace.rowText(row));
          out.writeName("hlc").writeString(HlcTimestamp.text(hlc));
          out.writeEndObject();
        });
  }

  @Override
  public void warning(String message) {
    line("warning", out -> out.writeString(message));
  }

  @Override
  public void notice(String sentence) {
    line("notice", out -> out.writeString(sentence));
  }

  @Override
  public void progress(long cuts, long hlc) {
    progress(cuts, hlc, OptionalLong.empty());
  }

  /**
   * Writes the stamp up to which a live result is complete.
   *
   * @param heldMicros the time for which its rows are delayed because nodes' clocks are ahead of
   *     the server's
   */
  public void progress(long cuts, long hlc, long heldMicros) {
    progress(cuts, hlc, OptionalLong.of(heldMicros));
  }

  private void progress(long cuts, long hlc, OptionalLong heldMicros) {
    line(
        "progress",
        out -> {
          out.writeStartObject();
          out.writeName("cuts").writeNumber(cuts);
          out.writeName("hlc").writeString(HlcTimestamp.text(hlc));
          heldMicros.ifPresent(micros -> out.writeName("heldMicros").writeNumber(micros));
          out.writeEndObject();
        });
  }

  /**
   * Ends a result that failed.
   *
   * @param problem in the form of {@link ProblemJson}
   */
  public void problem(String problem) {
    line("problem", out -> out.writeRawValue(problem));
  }

  /** Ends a result that is complete. */
  public void end() {
    line("end", out -> out.writeBoolean(true));
  }

  private boolean line(String name, Consumer<JsonGenerator> content) {
    return lines.test(
        buffer.text(
            out -> {
              out.writeStartObject();
              content.accept(out.writeName(name));
              out.writeEndObject();
            }));
  }
}
