// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.print;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.engine.statement.AlignmentTable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The rows of {@link AlignmentTable} in words and milliseconds, for users. */
public final class AlignmentText {
  /** The columns of every row. */
  public static final List<Column> COLUMNS =
      Stream.of("node", "offset", "interval", "drift", "evidence", "evidence age", "last step")
          .map(name -> new Column(name, false))
          .toList();

  private static final String UNKNOWN = "unknown";

  private final List<String> names;
  private final List<Row> rows;

  public AlignmentText(List<Column> columns, List<Row> rows) {
    this.names = columns.stream().map(Column::name).toList();
    this.rows = rows;
  }

  /** The name of the reference clock, and the start of its role. */
  public String heading() {
    return "offsets from the clock of "
        + rows.stream()
            .filter(this::isOfDriver)
            .findFirst()
            .map(
                row ->
                    text(row, AlignmentTable.DRIVER)
                        + ", the driver since "
                        + time(value(row, AlignmentTable.DRIVER_SINCE_HLC)))
            .orElseGet(() -> text(rows.get(0), AlignmentTable.DRIVER));
  }

  private boolean isOfDriver(Row row) {
    return value(row, AlignmentTable.DRIVER_SINCE_HLC) instanceof TimestampValue;
  }

  /** A row for each node. */
  public List<Row> rows() {
    return rows.stream().map(this::row).toList();
  }

  private Row row(Row row) {
    boolean driver = text(row, AlignmentTable.NODE).equals(text(row, AlignmentTable.DRIVER));
    boolean isOther = !isOfDriver(row) && rows.stream().anyMatch(this::isOfDriver);
    String from = isOther ? " from " + text(row, AlignmentTable.DRIVER) : "";
    List<Value> cells =
        List.of(
            Value.of(text(row, AlignmentTable.NODE)),
            Value.of(driver ? (isOfDriver(row) ? "driver" : "reference") : offset(row) + from),
            Value.of(driver ? "" : interval(row)),
            Value.of(driver ? "" : drift(row)),
            value(row, AlignmentTable.EVIDENCE_COUNT),
            Value.of(age(row)),
            Value.of(lastStep(row)));
    return new Row(row.hlc(), row.ordinal(), cells, Optional.empty());
  }

  private String offset(Row row) {
    return number(row, AlignmentTable.OFFSET_MICROS)
        .map(micros -> millis(micros) + " ms")
        .orElse(UNKNOWN);
  }

  private String interval(Row row) {
    Optional<Double> low = number(row, AlignmentTable.LOW_MICROS);
    Optional<Double> high = number(row, AlignmentTable.HIGH_MICROS);
    if (low.isEmpty() && high.isEmpty()) {
      return UNKNOWN;
    }
    return low.map(AlignmentText::millis).orElse(UNKNOWN)
        + " to "
        + high.map(AlignmentText::millis).orElse(UNKNOWN)
        + " ms";
  }

  private String drift(Row row) {
    Optional<Double> ppm = number(row, AlignmentTable.DRIFT_PPM);
    Optional<Double> doubt = number(row, AlignmentTable.DRIFT_UNCERTAINTY_PPM);
    return ppm.isEmpty() || doubt.isEmpty()
        ? UNKNOWN
        : String.format(Locale.ROOT, "%+.2f ± %.2f ppm", ppm.get(), doubt.get());
  }

  private String age(Row row) {
    return number(row, AlignmentTable.EVIDENCE_AGE_MICROS)
        .map(micros -> String.format(Locale.ROOT, "%.3f s", micros / 1e6))
        .orElse("");
  }

  private String lastStep(Row row) {
    return number(row, AlignmentTable.LAST_STEP_MICROS)
        .map(
            micros ->
                String.format(
                    Locale.ROOT,
                    "%s, at least %.3f ms",
                    time(value(row, AlignmentTable.LAST_STEP_HLC)),
                    micros / 1e3))
        .orElse("none seen");
  }

  private static String millis(double micros) {
    return String.format(Locale.ROOT, "%+.3f", micros / 1e3);
  }

  private static String time(Value stamp) {
    return stamp instanceof TimestampValue known
        ? HlcTimestamp.isoMicros(HlcTimestamp.micros(known.packed()))
        : UNKNOWN;
  }

  private String text(Row row, String column) {
    return value(row, column) instanceof StringValue text ? text.value() : "";
  }

  private Optional<Double> number(Row row, String column) {
    Value value = value(row, column);
    if (value instanceof LongValue number) {
      return Optional.of((double) number.value());
    }
    return value instanceof DoubleValue number ? Optional.of(number.value()) : Optional.empty();
  }

  private Value value(Row row, String column) {
    int index = names.indexOf(column);
    return index < 0 ? NullValue.NULL : row.values().get(index);
  }
}
