// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.json.JsonBuffer;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.json.RowJsonWriter;
import io.retroscope.rql.print.CsvText;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import io.retroscope.server.ingest.BatchReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A form of answers, which writes its rows, its end and its error record. Used by one thread. */
interface AnswerForm extends RowSink {
  /** Ends an answer that is complete. */
  void end();

  /**
   * Ends an answer that failed after its first rows.
   *
   * @param problem the error as JSON
   * @param reason the error in one sentence
   */
  void problem(String problem, String reason);

  /** The warnings that the text itself does not contain. */
  default List<String> unwritten() {
    return List.of();
  }

  /** The forms that a request can accept. */
  enum Format {
    /** One JSON object per row. */
    LINES(BatchReader.NDJSON),
    CSV("text/csv"),
    /** Lines that keep every type. */
    RESULT(ResultWriter.MEDIA_TYPE),
    /** One object with points. */
    SERIES("application/vnd.retroscope.series+json");

    private final String mediaType;

    Format(String mediaType) {
      this.mediaType = mediaType;
    }

    /** The first format in the value of an Accept header that is supported, or else lines. */
    static Format accepted(String accept) {
      for (String part : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
        Optional<Format> format = of(part.split(";", 2)[0].strip());
        if (format.isPresent()) {
          return format.get();
        }
      }
      return LINES;
    }

    private static Optional<Format> of(String mediaType) {
      for (Format format : values()) {
        if (format.mediaType.equals(mediaType)) {
          return Optional.of(format);
        }
      }
      return Optional.empty();
    }

    String mediaType() {
      return mediaType;
    }

    AnswerForm form(JsonBuffer.Out out) {
      return switch (this) {
        case LINES -> new Lines(out);
        case CSV -> new Csv(out);
        case RESULT -> new Result(out);
        case SERIES -> new SeriesForm(out);
      };
    }
  }

  /** One JSON object per row, warning or problem. */
  final class Lines implements AnswerForm {
    private final JsonBuffer.Out out;
    private RowJsonWriter rows = new RowJsonWriter(List.of());

    Lines(JsonBuffer.Out out) {
      this.out = out;
    }

    @Override
    public void columns(List<Column> columns) {
      rows = new RowJsonWriter(columns);
    }

    @Override
    public boolean row(Row row) {
      return out.write(rows.text(row) + "\n");
    }

    @Override
    public boolean cells(RowCells cells) {
      return rows.line(cells, out);
    }

    @Override
    public void warning(String message) {
      out.write(RowJson.warning(message) + "\n");
    }

    @Override
    public void end() {}

    @Override
    public void problem(String problem, String reason) {
      out.write(ProblemJson.line(problem));
    }
  }

  /**
   * Comma-separated values, whose warnings are sent after them; an error is a record of one cell.
   */
  final class Csv implements AnswerForm {
    private static final int MAX_WARNINGS = 100;

    private final List<String> warnings = new ArrayList<>();
    private final JsonBuffer.Out out;
    private final ResultPrinter printer =
        OutputFormat.CSV.printer(new PrintWriter(new Passing()), 80, false);
    private boolean wanted = true;

    Csv(JsonBuffer.Out out) {
      this.out = out;
    }

    @Override
    public void columns(List<Column> columns) {
      printer.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      printer.row(row);
      return wanted;
    }

    @Override
    public boolean cells(RowCells cells) {
      printer.cells(cells);
      return wanted;
    }

    @Override
    public void warning(String message) {
      if (warnings.size() < MAX_WARNINGS) {
        warnings.add(message);
      }
    }

    @Override
    public List<String> unwritten() {
      return warnings;
    }

    @Override
    public void end() {
      printer.end();
    }

    @Override
    public void problem(String problem, String reason) {
      out.write(CsvText.cell("error: " + reason) + CsvText.LINE_END);
    }

    /** What the printer writes, a record at a time. */
    private final class Passing extends Writer {
      @Override
      public void write(char[] text, int from, int length) {
        wanted = out.write(new String(text, from, length));
      }

      @Override
      public void write(String text, int from, int length) {
        wanted = out.write(text.substring(from, from + length));
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    }
  }

  /** Lines that keep every type, for the shell. */
  final class Result implements AnswerForm {
    private final ResultWriter writer;

    Result(JsonBuffer.Out out) {
      this.writer = new ResultWriter(line -> out.write(line + "\n"));
    }

    @Override
    public void columns(List<Column> columns) {
      writer.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      return writer.row(row);
    }

    @Override
    public boolean cells(RowCells cells) {
      return writer.cells(cells);
    }

    @Override
    public void warning(String message) {
      writer.warning(message);
    }

    @Override
    public void progress(long cuts, long hlc) {
      writer.progress(cuts, hlc);
    }

    @Override
    public void end() {
      writer.end();
    }

    @Override
    public void problem(String problem, String reason) {
      writer.problem(problem);
    }
  }
}
