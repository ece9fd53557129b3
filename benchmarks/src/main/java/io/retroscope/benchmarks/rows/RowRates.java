// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.rows;

import com.sun.management.ThreadMXBean;
import io.retroscope.benchmarks.engine.StalenessLog;
import io.retroscope.event.Event;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.file.EventCollector;
import io.retroscope.rql.file.EventFile;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJsonWriter;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A measurement of the rows of {@code SELECT r1} from memory, in each form of an answer, and of the
 * reading of the same events as NDJSON. The rates are per second of the CPU time of one thread.
 */
public final class RowRates {
  private static final long SEED = 20261122;

  private final ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final int events;
  private final int rounds;

  private RowRates(int events, int rounds) {
    this.events = events;
    this.rounds = rounds;
  }

  /** Takes the number of events in thousands, of rounds, and of nodes. */
  public static void main(String[] args) throws IOException {
    int events = 1_000 * Integer.parseInt(args[0]);
    RowRates rates = new RowRates(events, Integer.parseInt(args[1]));
    List<Event> log = new StalenessLog(Integer.parseInt(args[2]), events, SEED).events();
    rates.rows(log);
    rates.read(log);
  }

  private void rows(List<Event> log) throws IOException {
    QueryEngine engine =
        new QueryEngine(new InMemoryEventSource(log, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    PreparedQuery query = engine.prepare("SELECT r1 FROM setd;");
    measure("no text", () -> engine.run(query, new Answer(false)));
    measure("NDJSON", () -> engine.run(query, new Answer(true)));
    measure("lossless", () -> engine.run(query, new ResultWriter(line -> !line.isEmpty())));
    for (OutputFormat format : List.of(OutputFormat.CSV, OutputFormat.ALIGNED)) {
      measure(format.name(), () -> engine.run(query, new Printed(format)));
    }
  }

  private void read(List<Event> log) throws IOException {
    Path file = Files.createTempFile("retroscope-rows", ".ndjson");
    try {
      try (Writer out = Files.newBufferedWriter(file)) {
        NdjsonWriter writer = new NdjsonWriter(out);
        for (Event event : log) {
          writer.event(event);
        }
      }
      measure("read", () -> read(file).events());
      measure(
          "to memory",
          () -> new InMemoryEventSource(read(file).events(), ClockOffsets.UNKNOWN).open());
    } finally {
      Files.delete(file);
    }
  }

  private static EventCollector read(Path file) throws IOException {
    EventCollector all = new EventCollector();
    EventFile.read(file, all);
    return all;
  }

  /** Work that may fail to read. */
  private interface Work {
    void run() throws IOException;
  }

  private void measure(String name, Work work) throws IOException {
    double[] rates = new double[rounds];
    double bytes = 0;
    for (int round = 0; round < rounds; round++) {
      long allocated = thread.getCurrentThreadAllocatedBytes();
      long began = thread.getCurrentThreadCpuTime();
      work.run();
      rates[round] = 1e3 * events / (thread.getCurrentThreadCpuTime() - began);
      bytes = thread.getCurrentThreadAllocatedBytes() - allocated;
    }
    Arrays.sort(rates);
    System.out.printf(
        Locale.ROOT,
        "%-9s %.2f M/s (%.2f to %.2f), %.0f B each%n",
        name,
        rates[rounds / 2],
        rates[0],
        rates[rounds - 1],
        bytes / events);
  }

  /** Takes rows, and makes their text. */
  private static final class Answer implements RowSink {
    private final boolean text;
    private final List<RowJsonWriter> writer = new ArrayList<>();

    Answer(boolean text) {
      this.text = text;
    }

    @Override
    public void columns(List<Column> columns) {
      writer.add(new RowJsonWriter(columns));
    }

    @Override
    public boolean row(Row row) {
      return !text || !writer.get(0).text(row).isEmpty();
    }

    @Override
    public boolean cells(RowCells cells) {
      return !text || !writer.get(0).text(cells).isEmpty();
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }

  /** Prints rows as the shell does. */
  private static final class Printed implements RowSink {
    private final ResultPrinter printer;

    Printed(OutputFormat format) {
      PrintWriter out = new PrintWriter(new BufferedWriter(Writer.nullWriter(), 1 << 16));
      printer = format.printer(out, 80, false);
    }

    @Override
    public void columns(List<Column> columns) {
      printer.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      printer.row(row);
      return true;
    }

    @Override
    public boolean cells(RowCells cells) {
      printer.cells(cells);
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
