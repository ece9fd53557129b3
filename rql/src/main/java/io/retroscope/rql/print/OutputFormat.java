package io.retroscope.rql.print;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How results are printed. */
public enum OutputFormat {
  /** A table for people, numbers to the right. */
  ALIGNED,
  /** One line for each value. */
  VERTICAL,
  /** RFC 4180, with a header. */
  CSV,
  /** Like CSV, between tabs. */
  TSV,
  /** One array of objects. */
  JSON,
  /** One object a line. */
  JSONL,
  /** A table for a document. */
  MARKDOWN,
  /** Numbers over time, drawn in the terminal. */
  CHART;

  /** The format of that name, in any case. */
  public static Optional<OutputFormat> named(String name) {
    return Arrays.stream(values()).filter(f -> f.word().equalsIgnoreCase(name)).findFirst();
  }

  /** Whether people read it; what programs read must be complete whatever happens. */
  public boolean isForPeople() {
    return switch (this) {
      case ALIGNED, VERTICAL, MARKDOWN, CHART -> true;
      case CSV, TSV, JSON, JSONL -> false;
    };
  }

  /** All names, as help shows them. */
  public static String words() {
    return Arrays.stream(values()).map(OutputFormat::word).collect(Collectors.joining(", "));
  }

  /** The name as options and commands write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return word();
  }

  /**
   * A printer for one result.
   *
   * @param out where it goes; flushed by the caller
   * @param width columns of the terminal, at least 20; only a chart heeds it
   * @param live whether rows come as they happen, so that none may be held back for the layout
   */
  public ResultPrinter printer(PrintWriter out, int width, boolean live) {
    return switch (this) {
      case ALIGNED -> new AlignedPrinter(out, live);
      case VERTICAL -> new VerticalPrinter(out, Integer.MAX_VALUE);
      case CSV -> DelimitedPrinter.csv(out);
      case TSV -> DelimitedPrinter.tsv(out);
      case JSON -> JsonPrinter.array(out);
      case JSONL -> JsonPrinter.lines(out);
      case MARKDOWN -> new MarkdownPrinter(out);
      case CHART -> new ChartPrinter(out, width);
    };
  }

  /**
   * A printer of an aligned table that fits the terminal: if its first rows are wider, columns that
   * the answer adds by itself are left out, or each row becomes a record.
   *
   * @param width columns of the terminal, at least 20
   */
  public static ResultPrinter fittedTable(PrintWriter out, int width, boolean live) {
    return AlignedPrinter.within(out, width, live);
  }
}
