// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.cut.NaturalOrder;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A printer of charts: the numbers and texts of a result over time, with one line per node of a
 * collection, in the width of the terminal. Lines of one column of the result share a scale, or the
 * letters for its texts.
 */
final class ChartPrinter implements ResultPrinter {
  /** The maximum number of lines of a chart. */
  static final int MAX_SERIES = 64;

  private static final int MIN_WIDTH = 20;
  private static final int MAX_LABEL_WIDTH = 24;
  private static final String BLOCKS = "▁▂▃▄▅▆▇█";
  private static final String END_COLUMN = "endHlc";

  private final PrintWriter out;
  private final int width;
  private final Map<String, Map<String, ChartSeries>> seriesByColumn = new LinkedHashMap<>();
  private final Map<String, ChartStates> statesByColumn = new HashMap<>();
  private List<Column> columns = List.of();
  private boolean overTime;
  private long firstMicros;
  private long lastMicros;
  private long bucketMicros = 1;
  private long rowCount;
  private int seriesCount;
  private boolean seriesDropped;

  ChartPrinter(PrintWriter out, int width) {
    this.out = out;
    this.width = Math.max(MIN_WIDTH, width);
  }

  @Override
  public void columns(List<Column> all) {
    columns = all;
    overTime = all.contains(new Column("hlc", true));
  }

  @Override
  public void row(Row row) {
    if (!overTime) {
      rowCount++;
      return;
    }
    long micros = HlcTimestamp.micros(row.hlc());
    firstMicros = rowCount == 0 ? micros : firstMicros;
    rowCount++;
    int bucket = bucketAt(micros);
    for (int i = 0; i < columns.size(); i++) {
      if (!columns.get(i).automatic()) {
        draw(columns.get(i).name(), row.values().get(i), bucket);
      }
    }
    endInterval(row);
  }

  /** Returns the bucket of a stamp, after widening the buckets until it fits. */
  private int bucketAt(long micros) {
    lastMicros = Math.max(lastMicros, micros);
    while ((lastMicros - firstMicros) / bucketMicros >= ChartSeries.BUCKET_COUNT) {
      bucketMicros *= 2;
      seriesByColumn.values().forEach(all -> all.values().forEach(ChartSeries::halve));
    }
    return (int) (Math.max(0, micros - firstMicros) / bucketMicros);
  }

  private void draw(String column, Value value, int bucket) {
    if (value instanceof StructValue nodes) {
      nodes.fields().forEach((node, v) -> set(column, node, level(column, v), bucket));
      seriesByColumn
          .getOrDefault(column, Map.of())
          .forEach(
              (node, series) -> {
                if (!nodes.fields().containsKey(node)) {
                  series.set(bucket, Double.NaN);
                }
              });
    } else {
      set(column, "", level(column, value), bucket);
    }
  }

  private void set(String column, String node, double value, int bucket) {
    Map<String, ChartSeries> all = seriesByColumn.get(column);
    ChartSeries series = all == null ? null : all.get(node);
    if (series == null) {
      if (Double.isNaN(value)) {
        return;
      }
      if (seriesCount == MAX_SERIES) {
        seriesDropped = true;
        return;
      }
      seriesCount++;
      series = new ChartSeries();
      seriesByColumn
          .computeIfAbsent(column, c -> new TreeMap<>(NaturalOrder.INSTANCE))
          .put(node, series);
    }
    series.set(bucket, value);
  }

  /** Ends the lines of an interval, whose duration is known. */
  private void endInterval(Row row) {
    int end = columns.indexOf(new Column(END_COLUMN, true));
    if (end >= 0 && row.values().get(end) instanceof TimestampValue stamp) {
      int bucket = bucketAt(HlcTimestamp.micros(stamp.packed()));
      seriesByColumn.values().forEach(all -> all.values().forEach(s -> s.set(bucket, Double.NaN)));
    }
  }

  /** Returns the height of a value, or NaN if it cannot be drawn. Texts are numbered. */
  private double level(String column, Value value) {
    if (value instanceof StringValue text && !drawsNumbers(column)) {
      return statesByColumn.computeIfAbsent(column, c -> new ChartStates()).number(text.value());
    }
    return statesByColumn.containsKey(column) ? Double.NaN : number(value);
  }

  private boolean drawsNumbers(String column) {
    return seriesByColumn.containsKey(column) && !statesByColumn.containsKey(column);
  }

  private static double number(Value value) {
    if (value instanceof NumberValue v) {
      return v.nearest();
    }
    if (value instanceof DurationValue v) {
      return v.micros();
    }
    if (value instanceof BooleanValue v) {
      return v.value() ? 1 : 0;
    }
    return Double.NaN;
  }

  @Override
  public void end() {
    if (seriesByColumn.isEmpty()) {
      out.print("(nothing to draw: the result has no numbers or texts over time)\n");
    } else {
      int labelWidth = labelWidth();
      seriesByColumn.forEach((column, all) -> drawColumn(column, all, labelWidth));
      drawAxis(labelWidth);
      nameUndrawn();
    }
    if (seriesDropped) {
      out.print("(only the first " + MAX_SERIES + " lines are drawn)\n");
    }
    out.print(rowCount == 1 ? "(1 row)\n" : "(" + rowCount + " rows)\n");
  }

  private void nameUndrawn() {
    String undrawn =
        columns.stream()
            .filter(column -> !column.automatic() && !seriesByColumn.containsKey(column.name()))
            .map(column -> ValueText.printable(column.name()))
            .collect(Collectors.joining(", "));
    if (!undrawn.isEmpty()) {
      out.print("(not drawn, without numbers or texts: " + undrawn + ")\n");
    }
  }

  private int labelWidth() {
    int widest =
        seriesByColumn.values().stream()
            .flatMap(all -> all.keySet().stream())
            .mapToInt(ValueText::width)
            .max()
            .orElse(0);
    return Math.min(widest, Math.min(MAX_LABEL_WIDTH, width / 3));
  }

  private void drawColumn(String column, Map<String, ChartSeries> all, int labelWidth) {
    ChartStates states = statesByColumn.get(column);
    double low = all.values().stream().mapToDouble(ChartSeries::low).min().orElse(0);
    double high = all.values().stream().mapToDouble(ChartSeries::high).max().orElse(0);
    String range = low == high ? plain(low) : plain(low) + " to " + plain(high);
    String legend = states == null ? range : states.legend();
    out.print(ValueText.printable(column) + ": " + legend + "\n");
    int cellCount = width - labelWidth - 1;
    int bucketCount = (int) ((lastMicros - firstMicros) / bucketMicros) + 1;
    all.forEach(
        (node, series) -> {
          StringBuilder line = new StringBuilder(label(node, labelWidth)).append(' ');
          for (double value : series.cells(bucketCount, cellCount)) {
            line.append(Double.isNaN(value) ? ' ' : sign(states, value, low, high));
          }
          out.print(line.toString().stripTrailing() + "\n");
        });
  }

  private static char sign(@Nullable ChartStates states, double value, double low, double high) {
    return states == null ? BLOCKS.charAt(level(value, low, high)) : states.letter((int) value);
  }

  private static String label(String node, int labelWidth) {
    String text = ValueText.printable(node);
    while (ValueText.width(text) > labelWidth) {
      text = text.substring(0, text.offsetByCodePoints(text.length(), -1));
    }
    return ValueText.pad(text, labelWidth, false);
  }

  private static int level(double value, double low, double high) {
    int top = BLOCKS.length() - 1;
    return high == low ? 0 : (int) Math.round((value - low) / (high - low) * top);
  }

  private static String plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private void drawAxis(int labelWidth) {
    String from = HlcTimestamp.isoMicros(firstMicros);
    String to = HlcTimestamp.isoMicros(lastMicros);
    int gap = width - labelWidth - 1 - from.length() - to.length();
    String axis = gap >= 1 ? from + " ".repeat(gap) + to : from;
    out.print(" ".repeat(labelWidth + 1) + axis + "\n");
  }
}
