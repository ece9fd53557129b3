// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Note;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJsonWriter;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the text of rows in every format with that of {@link EarlierRowWriters}, for generated
 * rows and for those of generated queries. {@code -Doracle.seed} replays one case.
 */
class WrittenRowsTest {
  private static final String[] TEXTS = {
    "",
    "zk1",
    "a,b",
    "say \"x\"",
    "tab\there",
    "line\r\nend",
    "\\back/slash",
    "=1+1",
    "-4",
    "@x",
    " led",
    "end ",
    "\u0000\u0001\u001f\u007f",
    "\u00e4\u20ac",
    "\u2028\u2029",
    "\ud83d\ude00",
    "\ud83d",
    "\ude00x",
    "$hlc",
    "$",
    "null",
    "<script>&'",
    "\b\f"
  };

  private static final long[] NUMBERS = {
    0,
    1,
    -1,
    9,
    10,
    99,
    100,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L << 31,
    9_999_999_999L,
    999_999_999_999_999_999L,
    1_000_000_000_000_000_000L,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private static final long[] MICROS = {
    0,
    1,
    59_999_999,
    60_000_000,
    -1,
    1_795_200_000_000_000L,
    HlcTimestamp.MAX_MICROS,
    HlcTimestamp.MAX_MICROS + 1,
    253_402_300_800_000_000L,
    -62_200_000_000_000_000L
  };

  @Test
  void everyFormat_ofGeneratedRows_isThatOfTheEarlierWriters() {
    compareRows(800);
  }

  @Test
  @Tag("slow")
  void everyFormat_ofManyGeneratedRows_isThatOfTheEarlierWriters() {
    compareRows(100_000);
  }

  private static void compareRows(int cases) {
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Column> columns = columns(random);
      Written cells = new Written(columns, true);
      Written rows = new Written(columns, false);
      RowCells row = new RowCells();
      for (int i = 0; i < 5; i++) {
        fill(random, columns, row);
        List<String> expected = expected(columns, row.row());
        assertThat(cells.add(row)).as("-Doracle.seed=%d", seed).isEqualTo(expected);
        assertThat(rows.add(row)).as("-Doracle.seed=%d", seed).isEqualTo(expected);
      }
    }
  }

  @Test
  void everyFormat_ofGeneratedQueries_isThatOfTheEarlierWriters() {
    compareQueries(400);
  }

  @Test
  @Tag("slow")
  void everyFormat_ofManyGeneratedQueries_isThatOfTheEarlierWriters() {
    compareQueries(50_000);
  }

  private static void compareQueries(int cases) {
    int taken = 0;
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = new RandomQuery(random).text(false);
      QueryEngine engine = OracleTest.engine(events);
      Compared compared = new Compared("-Doracle.seed=%d: %s".formatted(seed, text));
      try {
        PreparedQuery query = engine.prepare(text);
        engine.run(query, compared);
      } catch (RqlException e) {
        // The rows before the error are compared.
      }
      taken += compared.taken;
    }
    if (OracleTest.seeds(cases).length > 1) {
      assertThat(taken).as("rows as cells").isGreaterThan(cases / 2);
    }
  }

  private static List<String> expected(List<Column> columns, Row row) {
    return List.of(
        EarlierRowWriters.object(columns, row),
        EarlierRowWriters.lossless(row),
        EarlierRowWriters.csv(row),
        EarlierRowWriters.tsv(row),
        EarlierRowWriters.object(columns, row) + "\n");
  }

  private static List<Column> columns(Random random) {
    List<Column> columns = new ArrayList<>();
    int count = 1 + random.nextInt(12);
    for (int i = 0; i < count; i++) {
      columns.add(new Column(i + TEXTS[random.nextInt(TEXTS.length)], false));
    }
    if (random.nextBoolean()) {
      columns.add(new Column("missing", true));
    }
    return columns;
  }

  private static void fill(Random random, List<Column> columns, RowCells row) {
    row.clear();
    for (int i = 0; i < columns.size(); i++) {
      switch (random.nextInt(6)) {
        case 0 -> row.add(number(random));
        case 1 -> row.addStamp(stamp(random));
        case 2 -> row.addTime(micros(random));
        case 3 -> nodes(random, row);
        default -> row.add(value(random, 3));
      }
    }
    Optional<Note> note =
        random.nextInt(4) == 0
            ? Optional.of(new Note("woodblock", 62, 96, 200_000, 0))
            : Optional.empty();
    row.identify(stamp(random), random.nextInt(3), note);
  }

  private static void nodes(Random random, RowCells row) {
    row.addNodes();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String node = TEXTS[random.nextInt(TEXTS.length)] + i;
      if (random.nextBoolean()) {
        row.addNode(node, number(random));
      } else {
        row.addNode(node, value(random, 2));
      }
    }
  }

  private static long number(Random random) {
    return random.nextBoolean()
        ? NUMBERS[random.nextInt(NUMBERS.length)]
        : random.nextLong() >> random.nextInt(64);
  }

  private static long stamp(Random random) {
    return random.nextBoolean() ? HlcTimestamp.pack(1_795_200_000_000_000L, 3) : random.nextLong();
  }

  private static long micros(Random random) {
    return random.nextBoolean()
        ? MICROS[random.nextInt(MICROS.length)]
        : 1_795_200_000_000_000L + random.nextInt();
  }

  private static Value value(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 7 : 9)) {
      case 0 -> NullValue.NULL;
      case 1 -> Value.of(random.nextBoolean());
      case 2 -> Value.of(number(random));
      case 3 -> Value.of(decimal(random));
      case 4 -> Value.of(TEXTS[random.nextInt(TEXTS.length)]);
      case 5 -> new DurationValue(number(random));
      case 6 -> new TimestampValue(stamp(random));
      case 7 -> {
        Value[] elements = new Value[random.nextInt(4)];
        Arrays.setAll(elements, i -> value(random, depth - 1));
        yield new SetValue(List.of(elements));
      }
      default -> {
        Map<String, Value> fields = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          fields.put(TEXTS[random.nextInt(TEXTS.length)], value(random, depth - 1));
        }
        yield new StructValue(fields);
      }
    };
  }

  private static double decimal(Random random) {
    double[] some = {0.0, -0.0, 3.0, 1e300, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE};
    return random.nextBoolean() ? some[random.nextInt(some.length)] : random.nextGaussian();
  }

  /** The text of rows in every format. */
  private static final class Written {
    private final boolean takesCells;
    private final RowJsonWriter objects;
    private final List<String> lines = new ArrayList<>();
    private final ResultWriter lossless = new ResultWriter(lines::add);
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);
    private final List<ResultPrinter> printers = new ArrayList<>();

    Written(List<Column> columns, boolean takesCells) {
      this.takesCells = takesCells;
      objects = new RowJsonWriter(columns);
      for (OutputFormat format : List.of(OutputFormat.CSV, OutputFormat.TSV, OutputFormat.JSONL)) {
        ResultPrinter printer = format.printer(out, 80, false);
        printer.columns(columns);
        printers.add(printer);
      }
    }

    List<String> add(RowCells cells) {
      List<String> all = new ArrayList<>();
      Row row = cells.row();
      all.add(takesCells ? objects.text(cells) : objects.text(row));
      lines.clear();
      boolean unused = takesCells ? lossless.cells(cells) : lossless.row(row);
      all.addAll(lines);
      for (ResultPrinter printer : printers) {
        out.flush();
        text.getBuffer().setLength(0);
        if (takesCells) {
          printer.cells(cells);
        } else {
          printer.row(row);
        }
        out.flush();
        all.add(text.toString());
      }
      return all;
    }
  }

  /** Compares the text of cells as they arrive. */
  private static final class Compared implements RowSink {
    private final String what;
    private List<Column> columns = List.of();
    private Written written = new Written(List.of(), true);
    private final Set<String> identities = new HashSet<>();
    private int taken;

    Compared(String what) {
      this.what = what;
    }

    @Override
    public void columns(List<Column> all) {
      columns = all;
      written = new Written(all, true);
    }

    @Override
    public boolean row(Row row) {
      identify(row.hlc(), row.ordinal());
      return true;
    }

    /** The rows of a stamp are distinguished by their numbers. */
    private void identify(long hlc, int ordinal) {
      assertThat(identities.add(hlc + "/" + ordinal)).as("ordinal, %s", what).isTrue();
    }

    @Override
    public boolean cells(RowCells cells) {
      taken++;
      identify(cells.hlc(), cells.ordinal());
      // No event has a physical reading, so that the time of a cut is that of its stamp.
      assertThat(cells.row().values().get(1))
          .as("time, %s", what)
          .isEqualTo(Value.of(HlcTimestamp.isoMicros(HlcTimestamp.micros(cells.hlc()))));
      assertThat(cells.size()).as(what).isEqualTo(columns.size());
      assertThat(written.add(cells)).as(what).isEqualTo(expected(columns, cells.row()));
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
