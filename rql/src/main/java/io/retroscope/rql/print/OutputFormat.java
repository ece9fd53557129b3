// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The formats of results. */
public enum OutputFormat {
  /** A table for reading, with numbers right-aligned. */
  ALIGNED,
  /** One line per value. */
  VERTICAL,
  /** RFC 4180, with a header. */
  CSV,
  /** Like CSV, with tabs. */
  TSV,
  /** One array of objects. */
  JSON,
  /** One object per line. */
  JSONL,
  /** A Markdown table. */
  MARKDOWN,
  /** Numbers over time, drawn in the terminal. */
  CHART;

  /** Returns the format with this name, in any case. */
  public static Optional<OutputFormat> named(String name) {
    return Arrays.stream(values()).filter(f -> f.word().equalsIgnoreCase(name)).findFirst();
  }

  /** Returns whether the format is for reading. A format for programs must always be complete. */
  public boolean isForPeople() {
    return switch (this) {
      case ALIGNED, VERTICAL, MARKDOWN, CHART -> true;
      case CSV, TSV, JSON, JSONL -> false;
    };
  }

  /** Returns all names for help. */
  public static String words() {
    return Arrays.stream(values()).map(OutputFormat::word).collect(Collectors.joining(", "));
  }

  /** The name in options and commands. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return word();
  }

  /**
   * Creates a printer for one result.
   *
   * @param out the destination; flushed by the caller
   * @param width columns of the terminal, at least 20; used only by a chart
   * @param live whether rows arrive as they happen, so that none may be buffered for the layout
   */
  public ResultPrinter printer(PrintWriter out, int width, boolean live) {
    return switch (this) {
      case ALIGNED -> new TableColumns(new AlignedPrinter(out, live), out);
      case VERTICAL -> new VerticalPrinter(out, Integer.MAX_VALUE);
      case CSV -> DelimitedPrinter.csv(out);
      case TSV -> DelimitedPrinter.tsv(out);
      case JSON -> JsonPrinter.array(out);
      case JSONL -> JsonPrinter.lines(out);
      case MARKDOWN -> new TableColumns(new MarkdownPrinter(out), out);
      case CHART -> new ChartPrinter(out, width);
    };
  }

  /**
   * Creates a printer for a STREAM, whose late and retracted rows have marks.
   *
   * @param out the destination; flushed by the caller
   * @param width columns of the terminal, at least 20; used only by a chart, which has no marks
   */
  public ResultPrinter livePrinter(PrintWriter out, int width) {
    ResultPrinter printer = printer(out, width, true);
    return switch (this) {
      case CSV, TSV, MARKDOWN -> new MarkColumn(printer);
      case ALIGNED, VERTICAL, JSON, JSONL, CHART -> printer;
    };
  }

  /**
   * A printer of an aligned table that fits the terminal: if its first rows are wider, columns that
   * the answer adds by itself are left out, or each row becomes a record.
   *
   * @param width columns of the terminal, at least 20
   */
  public static ResultPrinter fittedTable(PrintWriter out, int width, boolean live) {
    return new TableColumns(AlignedPrinter.within(out, width, live), out);
  }
}
