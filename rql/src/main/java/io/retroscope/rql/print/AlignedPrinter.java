package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A printer of tables, whose layout follows from the first rows. A later row with a wider cell
 * widens its column from there on, so that a result of any length can be printed. A table that is
 * too wide for the terminal first loses automatic columns, and names them. If that is not enough,
 * it is printed as records.
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

  private final PrintWriter out;
  private final boolean live;
  private final int maxWidth;
  private final VerticalPrinter records;
  private boolean asRecords;
  private final List<List<String>> held = new ArrayList<>();
  private List<Column> columns = List.of();
  private String[] names = {};
  private int[] widths = {};
  private boolean[] numbers = {};
  private boolean[] seen = {};
  private boolean[] leftOut = {};
  private int heldCharacters;
  private boolean laidOut;
  private long rowCount;

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
    for (int i = 0; i < names.length; i++) {
      widths[i] = ValueText.width(names[i]);
    }
  }

  @Override
  public void row(Row row) {
    rowCount++;
    int[] before = widths.clone();
    List<String> cells = cells(row);
    if (laidOut) {
      if (live && fitted() && !asRecords && !Arrays.equals(before, widths)) {
        makeRoom();
        spare(before);
        printHeading();
      }
      print(cells);
      return;
    }
    held.add(cells);
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

  private IntStream shown() {
    return IntStream.range(0, names.length).filter(i -> !leftOut[i]);
  }

  private long tableWidth() {
    return shown().mapToLong(i -> widths[i] + " | ".length()).sum() - 1;
  }

  private void printHeading() {
    print(List.of(names));
    out.print(
        shown().mapToObj(i -> "-".repeat(widths[i] + 2)).collect(Collectors.joining("+")) + "\n");
  }

  private void print(List<String> cells) {
    if (asRecords) {
      records.print(cells);
      return;
    }
    String line =
        shown()
            .mapToObj(i -> ValueText.pad(cells.get(i), widths[i], numbers[i]))
            .collect(Collectors.joining(" | ", " ", ""));
    out.print(line.stripTrailing() + "\n");
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
    out.print((rowCount == 1 ? "(1 row" : "(" + rowCount + " rows") + remark + ")\n");
  }
}
