package io.retroscope.rql.shell;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.engine.Column;
import io.retroscope.rql.engine.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A table, laid out by its first rows: a later row with a wider cell widens its column from there
 * on, so that no result is too long to print. A table that would be too wide for the terminal is
 * printed as records, if that is wanted.
 */
final class AlignedPrinter implements ResultPrinter {
  /** Rows held back for the layout. */
  static final int SAMPLE_ROWS = 1_000;

  /** Characters held back for the layout, whatever the number of rows. */
  static final int SAMPLE_CHARACTERS = 1 << 20;

  private final PrintWriter out;
  private final int sampleRows;
  private final int maxWidth;
  private final VerticalPrinter records;
  private boolean asRecords;
  private final List<List<String>> held = new ArrayList<>();
  private String[] names = {};
  private int[] widths = {};
  private boolean[] numbers = {};
  private boolean[] seen = {};
  private int heldCharacters;
  private boolean laidOut;
  private long rowCount;

  AlignedPrinter(PrintWriter out, boolean live) {
    this(out, live, Integer.MAX_VALUE);
  }

  private AlignedPrinter(PrintWriter out, boolean live, int maxWidth) {
    this.out = out;
    this.sampleRows = live ? 1 : SAMPLE_ROWS;
    this.maxWidth = maxWidth;
    this.records = new VerticalPrinter(out, maxWidth);
  }

  /** Prints records if the table's first rows are wider than this. */
  static AlignedPrinter within(PrintWriter out, int maxWidth, boolean live) {
    return new AlignedPrinter(out, live, maxWidth);
  }

  @Override
  public void columns(List<Column> columns) {
    records.columns(columns);
    names = columns.stream().map(c -> ValueText.printable(c.name())).toArray(String[]::new);
    widths = new int[names.length];
    numbers = new boolean[names.length];
    seen = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      widths[i] = ValueText.width(names[i]);
    }
  }

  @Override
  public void row(Row row) {
    rowCount++;
    List<String> cells = cells(row);
    if (laidOut) {
      print(cells);
      return;
    }
    held.add(cells);
    cells.forEach(cell -> heldCharacters += cell.length());
    if (held.size() >= sampleRows || heldCharacters >= SAMPLE_CHARACTERS) {
      layOut();
    }
  }

  private List<String> cells(Row row) {
    List<String> cells = new ArrayList<>(names.length);
    for (int i = 0; i < names.length; i++) {
      Value value = row.values().get(i);
      String cell = ValueText.of(value);
      widths[i] = Math.max(widths[i], ValueText.width(cell));
      if (!laidOut && !(value instanceof NullValue)) {
        boolean number = ValueText.isNumber(value);
        numbers[i] = seen[i] ? numbers[i] && number : number;
        seen[i] = true;
      }
      cells.add(cell);
    }
    return cells;
  }

  private void layOut() {
    laidOut = true;
    asRecords = tableWidth() > maxWidth;
    if (!asRecords) {
      printHeading();
    }
    held.forEach(this::print);
    held.clear();
  }

  private long tableWidth() {
    return IntStream.of(widths).mapToLong(width -> width + " | ".length()).sum() - 1;
  }

  private void printHeading() {
    print(List.of(names));
    List<String> rules = new ArrayList<>();
    for (int width : widths) {
      rules.add("-".repeat(width + 2));
    }
    out.print(String.join("+", rules) + "\n");
  }

  private void print(List<String> cells) {
    if (asRecords) {
      records.print(cells);
      return;
    }
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      line.append(i == 0 ? " " : " | ");
      line.append(ValueText.pad(cells.get(i), widths[i], numbers[i]));
    }
    out.print(line.toString().stripTrailing() + "\n");
  }

  @Override
  public void end() {
    if (!laidOut) {
      layOut();
    }
    out.print(rowCount == 1 ? "(1 row)\n" : "(" + rowCount + " rows)\n");
  }
}
