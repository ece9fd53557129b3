// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A printer of tables, whose layout follows from the first rows. A later row with a wider cell
 * widens its column from there on, so that a result of any length can be printed.
 *
 * <p>On a terminal, times are as short as their date in the heading allows. A table that is too
 * wide loses automatic columns, and names them; those that remain follow the columns of the query.
 * If that is not enough, it is printed as records. Which columns a live table has is decided by its
 * first row.
 */
final class AlignedPrinter implements ResultPrinter {
  /** The maximum number of rows that are buffered for the layout. */
  static final int SAMPLE_ROWS = 1_000;

  /**
   * The maximum number of characters that are buffered for the layout, regardless of the number of
   * rows.
   */
  static final int SAMPLE_CHARACTERS = 1 << 20;

  /**
   * The least useful columns first; {@code time} contains the same information as {@code hlc} for
   * users.
   */
  private static final List<String> LEFT_OUT_FIRST =
      List.of("uncertaintyMicros", "endTime", "endHlc", "cuts", "hlc");

  /** The step of column widths in a live table, so that few columns are widened later. */
  private static final int LIVE_STEP = 8;

  /** The initial spare width of a column in a live table. */
  private static final int LIVE_SPARE = 4;

  /** The automatic columns of times in ISO-8601. */
  private static final Set<String> TIMES = Set.of("time", "endTime");

  /** {@code 2026-11-20}. */
  private static final int DATE_LENGTH = 10;

  private final PrintWriter out;
  private final boolean live;
  private final int maxWidth;
  private final VerticalPrinter records;
  private boolean asRecords;
  private final List<Line> held = new ArrayList<>();
  private List<Column> columns = List.of();
  private String[] names = {};
  private int[] widths = {};
  private boolean[] numbers = {};
  private boolean[] seen = {};
  private boolean[] leftOut = {};

  /** For each column of times on a terminal, the date that its heading shows and T. */
  private @Nullable String[] dates = {};

  private int heldCharacters;
  private boolean laidOut;
  private long rowCount;
  private long retractedCount;

  /**
   * A row as texts.
   *
   * @param isLate whether it comes after its place in a STREAM
   */
  private record Line(List<String> cells, boolean isLate) {}

  AlignedPrinter(PrintWriter out, boolean live) {
    this(out, live, Integer.MAX_VALUE);
  }

  private AlignedPrinter(PrintWriter out, boolean live, int maxWidth) {
    this.out = out;
    this.live = live;
    this.maxWidth = maxWidth;
    this.records = new VerticalPrinter(out, maxWidth);
  }

  /**
   * Creates a printer that omits columns, or prints records, if the first rows exceed this width.
   */
  static AlignedPrinter within(PrintWriter out, int maxWidth, boolean live) {
    return new AlignedPrinter(out, live, maxWidth);
  }

  @Override
  public void columns(List<Column> all) {
    records.columns(all);
    columns = all;
    names = all.stream().map(c -> ValueText.printable(c.name())).toArray(String[]::new);
    widths = new int[names.length];
    numbers = new boolean[names.length];
    seen = new boolean[names.length];
    leftOut = new boolean[names.length];
    dates = new String[names.length];
    for (int i = 0; i < names.length; i++) {
      widths[i] = ValueText.width(names[i]);
    }
  }

  @Override
  public void row(Row row) {
    print(row, false);
  }

  @Override
  public void late(Row row) {
    print(row, true);
  }

  @Override
  public void retracted(long hlc) {
    retractedCount++;
    out.print(TableText.retraction(hlc) + "\n");
  }

  private void print(Row row, boolean isLate) {
    rowCount++;
    int[] before = widths.clone();
    List<String> cells = cells(row);
    Line line = new Line(cells, isLate);
    if (laidOut) {
      if (live && fitted() && !asRecords && !Arrays.equals(before, widths)) {
        widen(before);
      }
      print(line);
      return;
    }
    held.add(line);
    cells.forEach(cell -> heldCharacters += cell.length());
    if (held.size() >= (live ? 1 : SAMPLE_ROWS) || heldCharacters >= SAMPLE_CHARACTERS) {
      layOut();
    }
  }

  private List<String> cells(Row row) {
    List<String> cells = new ArrayList<>(names.length);
    for (int i = 0; i < names.length; i++) {
      Value value = row.values().get(i);
      String cell = ValueText.of(value);
      findDate(i, cell);
      widths[i] = Math.max(widths[i], ValueText.width(shortened(i, cell)));
      if (!laidOut && !(value instanceof NullValue)) {
        boolean number = ValueText.isNumber(value);
        numbers[i] = seen[i] ? numbers[i] && number : number;
        seen[i] = true;
      }
      cells.add(cell);
    }
    return cells;
  }

  /** Puts the date of the first time of a column into its heading. */
  private void findDate(int column, String cell) {
    Column named = columns.get(column);
    boolean isTime = named.automatic() && TIMES.contains(named.name()) && cell.contains("T");
    if (fitted() && isTime && dates[column] == null && !laidOut) {
      dates[column] = cell.substring(0, DATE_LENGTH + 1);
      widths[column] = ValueText.width(heading(column));
    }
  }

  private String heading(int column) {
    String date = dates[column];
    return date == null || asRecords
        ? names[column]
        : names[column] + " " + date.substring(0, DATE_LENGTH);
  }

  /** A cell without the date, if it is that of the heading. */
  private String shortened(int column, String cell) {
    String date = dates[column];
    return date != null && cell.startsWith(date) ? cell.substring(date.length()) : cell;
  }

  private void layOut() {
    laidOut = true;
    asRecords = !makeRoom();
    if (asRecords) {
      Arrays.fill(leftOut, false);
    } else {
      if (live && fitted()) {
        spare(new int[widths.length]);
      }
      printHeading();
    }
    held.forEach(this::print);
    held.clear();
  }

  /** Repeats the heading for wider columns, unless they do not fit: then only this row is wider. */
  private void widen(int[] before) {
    if (tableWidth() > maxWidth) {
      widths = before;
      return;
    }
    spare(before);
    printHeading();
  }

  /** Omits automatic columns as needed; returns whether the table then fits. */
  private boolean makeRoom() {
    Arrays.fill(leftOut, false);
    int[] candidates =
        LEFT_OUT_FIRST.stream()
            .mapToInt(name -> columns.indexOf(new Column(name, true)))
            .filter(column -> column >= 0)
            .toArray();
    for (int i = 0; i < candidates.length && tableWidth() > maxWidth; i++) {
      leftOut[candidates[i]] = true;
    }
    boolean fits = tableWidth() <= maxWidth;
    for (int i = candidates.length - 1; fits && i >= 0; i--) {
      boolean room = tableWidth() + widths[candidates[i]] + " | ".length() <= maxWidth;
      leftOut[candidates[i]] &= !room; // Removing a wide column may leave room for a narrow one.
    }
    return fits;
  }

  private boolean fitted() {
    return maxWidth != Integer.MAX_VALUE;
  }

  /** Widens columns of a live table further, as far as there is room. */
  private void spare(int[] before) {
    long room = maxWidth - tableWidth();
    for (int i = 0; i < widths.length; i++) {
      int wider = (widths[i] + LIVE_SPARE) / LIVE_STEP * LIVE_STEP + LIVE_STEP;
      boolean grown = widths[i] > before[i] && !columns.get(i).automatic();
      if (grown && wider - widths[i] <= room) {
        room -= wider - widths[i];
        widths[i] = wider;
      }
    }
  }

  /** The columns in their order; those of the query first where others are left out. */
  private IntStream shown() {
    IntStream all = IntStream.range(0, names.length).filter(i -> !leftOut[i]);
    return isCut()
        ? all.boxed().sorted(Comparator.comparing(i -> columns.get(i).automatic())).mapToInt(i -> i)
        : all;
  }

  private boolean isCut() {
    for (boolean out : leftOut) {
      if (out) {
        return true;
      }
    }
    return false;
  }

  private long tableWidth() {
    return shown().mapToLong(i -> widths[i] + " | ".length()).sum() - 1;
  }

  private void printHeading() {
    print(new Line(IntStream.range(0, names.length).mapToObj(this::heading).toList(), false));
    out.print(
        shown().mapToObj(i -> "-".repeat(widths[i] + 2)).collect(Collectors.joining("+")) + "\n");
  }

  private void print(Line line) {
    if (asRecords) {
      records.print(line.cells(), line.isLate() ? ", late" : "");
      return;
    }
    String text =
        shown()
            .mapToObj(i -> ValueText.pad(shortened(i, line.cells().get(i)), widths[i], numbers[i]))
            .collect(Collectors.joining(" | ", " ", ""));
    out.print(text.stripTrailing() + (line.isLate() ? " (late)" : "") + "\n");
  }

  @Override
  public void end() {
    if (!laidOut) {
      layOut();
    }
    String missing =
        IntStream.range(0, names.length)
            .filter(i -> leftOut[i])
            .mapToObj(i -> names[i])
            .collect(Collectors.joining(", "));
    String remark = missing.isEmpty() ? "" : "; \\x also shows " + missing;
    out.print("(" + TableText.rowCount(rowCount, retractedCount) + remark + ")\n");
  }
}
