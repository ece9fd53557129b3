// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.cli.process.TerminalText;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.plan.TimeWindow;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A runner of statements that prints their results. Used by one thread. */
final class StatementRunner {
  /** The number of rows that are printed between two checks of the output for failure. */
  private static final int ROWS_PER_CHECK = 256;

  private final Session session;
  private final StandardStreams streams;
  private final ShellSettings settings;
  private final ShellClock clock;
  private final Cancellation cancellation;
  private final ErrorPrinter errors;
  private final Optional<Pager> pager;
  private final LocalTimes times;

  /**
   * Creates a runner.
   *
   * @param pager shows long results; only a terminal has one
   */
  StatementRunner(
      Session session,
      StandardStreams streams,
      ShellSettings settings,
      ShellClock clock,
      Cancellation cancellation,
      ErrorPrinter errors,
      Optional<Pager> pager) {
    this.session = session;
    this.streams = streams;
    this.settings = settings;
    this.clock = clock;
    this.cancellation = cancellation;
    this.errors = errors;
    this.pager = pager;
    this.times = new LocalTimes(() -> settings.now(clock), errors, this::lastEvent);
  }

  /** The last event of a file, whose day a time without a day is of. */
  private Optional<Instant> lastEvent() {
    if (!(session instanceof LocalSession file)) {
      return Optional.empty();
    }
    try {
      return file.catalog()
          .extent()
          .map(range -> Instant.EPOCH.plus(HlcTimestamp.micros(range.to()), ChronoUnit.MICROS));
    } catch (ProblemException e) {
      return Optional.empty(); // The statement reports it.
    }
  }

  /** Whether this shell can show results a screen at a time. */
  boolean hasPager() {
    return pager.isPresent();
  }

  /** What statements are sent to, in a sentence. */
  String connection() {
    return "statements go to " + session.target();
  }

  /** Runs a statement and prints its errors; returns the exit code. */
  ExitCode run(String statement) {
    ParsedStatement reading = new RqlParser().read(times.resolve(statement));
    PrintingSink sink = new PrintingSink(reading);
    ExitCode result = run(sink, () -> session.run(reading, sink));
    if (result == ExitCode.OK) {
      sink.pointToSound();
    }
    return result;
  }

  /** Writes the sound of a statement to a file. */
  ExitCode play(String statement, String file, SoundWriter sound) {
    ParsedStatement reading = new RqlParser().read(times.resolve(statement));
    PrintingSink sink = new PrintingSink(reading);
    return run(sink, () -> errors.note(sound.write(session, reading, path(file), sink)));
  }

  private static Path path(String file) {
    try {
      return Path.of(file);
    } catch (InvalidPathException e) {
      throw new ProblemException("not a file name: " + e.getMessage());
    }
  }

  /** A task that uses the session. */
  private interface Task {
    void run() throws IOException;
  }

  private ExitCode run(PrintingSink sink, Task task) {
    long startNanos = clock.nanos();
    cancellation.begin();
    ExitCode result;
    try {
      result = attempt(sink, task);
    } finally {
      cancellation.end();
    }
    if (settings.writesFile() && settings.out().checkError()) {
      errors.error("the output file of \\o could not be written completely");
      result = ExitCode.FAILED;
    }
    if (cancellation.isCancelled()) {
      errors.note("cancelled");
    }
    long nanos = clock.nanos() - startNanos;
    sink.page(); // A reader takes longer than any statement.
    if (settings.timing()) {
      double millis = nanos / 1e6;
      errors.note(String.format(Locale.ROOT, "time: %.3f ms", millis));
    }
    return result;
  }

  private ExitCode attempt(PrintingSink sink, Task task) {
    try {
      task.run();
      sink.end(!cancellation.isCancelled());
      return ExitCode.OK;
    } catch (RqlException e) {
      sink.end(false);
      errors.error(e);
      return ExitCode.STATEMENT_FAILED;
    } catch (ProblemException e) {
      sink.end(false);
      errors.error(e.reason());
      return e.isOfStatement() ? ExitCode.STATEMENT_FAILED : ExitCode.FAILED;
    } catch (IOException e) {
      sink.end(false);
      errors.error(e);
      return ExitCode.CONNECTION_LOST;
    } catch (RuntimeException e) {
      sink.end(false);
      errors.error("internal error: " + e);
      return ExitCode.FAILED;
    }
  }

  /** The range that a query walks; empty if its progress has no end. */
  private Optional<HlcRange> range(ParsedStatement reading) {
    if (reading.query().isEmpty() || reading.isLive()) {
      return Optional.empty();
    }
    try {
      Optional<HlcRange> extent = session.catalog().extent();
      long now = extent.map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
      return TimeWindow.of(reading.text(), reading.query().get(), extent, now)
          .map(TimeWindow::range);
    } catch (IOException | ProblemException | RqlException e) {
      return Optional.empty(); // Progress also works without the range.
    }
  }

  private final class PrintingSink implements RowSink {
    private final Optional<PagedText> paged;
    private final PrintWriter out;
    private final long maxRows;
    private final ParsedStatement reading;
    private final boolean live;
    private final ResultPrinter printer;
    private final Optional<ZonedTimes> zoned;
    private final Optional<ProgressLine> progress;
    private boolean begun;
    private long rowCount;

    PrintingSink(ParsedStatement reading) {
      this.reading = reading;
      live = reading.isLive();
      int width = streams.width().getAsInt();
      paged = pages() ? keep() : Optional.empty();
      out = paged.map(PagedText::writer).orElseGet(this::out);
      maxRows = live ? Long.MAX_VALUE : settings.maxRows();
      printer = settings.printer(out, width, live);
      zoned = settings.zonedTimes();
      progress =
          streams.errIsTerminal()
              ? Optional.of(new ProgressLine(streams.err(), clock, width, () -> range(reading)))
              : Optional.empty();
    }

    /** Output for programs may have control characters in it, except on a terminal. */
    private PrintWriter out() {
      boolean shown =
          streams.outIsTerminal() && !settings.writesFile() && !settings.format().isForPeople();
      return shown ? new TerminalText(settings.out()) : settings.out();
    }

    private boolean pages() {
      return settings.pages()
          && pager.isPresent()
          && !live
          && !settings.writesFile()
          && settings.isTable();
    }

    private Optional<PagedText> keep() {
      try {
        return Optional.of(new PagedText());
      } catch (IOException e) {
        errors.note("no pager: no file can be made in the temporary folder: " + e.getMessage());
        return Optional.empty();
      }
    }

    @Override
    public void columns(List<Column> columns) {
      begun = true;
      if (live && streams.errIsTerminal()) {
        errors.note(
            settings.format() == OutputFormat.CHART
                ? "The chart is drawn when Ctrl-C ends the query."
                : "Rows appear as they happen; Ctrl-C ends the query.");
        if (plays()) {
          errors.note("To hear them: " + listenCommand());
        }
      }
      zoned.ifPresent(times -> times.columns(columns));
      printer.columns(columns);
    }

    private boolean plays() {
      return reading.query().flatMap(Statement.Query::play).isPresent();
    }

    private String listenCommand() {
      return "./retroscope listen --server "
          + session.target()
          + " '"
          + reading.text().replace("'", "'\\''")
          + "'";
    }

    /** Prints how to hear a query over history that has PLAY. */
    void pointToSound() {
      if (plays() && !live && rowCount > 0 && streams.errIsTerminal()) {
        errors.note("\\play FILE.wav writes the sound of this query (or FILE.mid).");
      }
    }

    @Override
    public boolean row(Row row) {
      if (begins()) {
        printer.row(shown(row));
      }
      return wantsMore();
    }

    private Row shown(Row row) {
      return zoned.isPresent() ? zoned.get().row(row) : row;
    }

    @Override
    public boolean cells(RowCells cells) {
      if (zoned.isPresent()) {
        return row(cells.row());
      }
      if (begins()) {
        printer.cells(cells);
      }
      return wantsMore();
    }

    /** Counts a row; returns whether to print it. */
    private boolean begins() {
      progress.ifPresent(ProgressLine::clear);
      rowCount++;
      return rowCount <= maxRows;
    }

    private boolean wantsMore() {
      if (paged.isPresent() && paged.get().full()) {
        errors.note("warning: the pager takes no more than these rows; \\o FILE writes all");
        return false;
      }
      boolean look = live || rowCount % ROWS_PER_CHECK == 0;
      return !look || !out.checkError();
    }

    @Override
    public void warning(String message) {
      progress.ifPresent(ProgressLine::clear);
      if (begun) {
        printer.warning(message);
      }
      out.flush();
      errors.note("warning: " + message);
    }

    @Override
    public boolean late(Row row) {
      progress.ifPresent(ProgressLine::clear);
      rowCount++;
      printer.late(shown(row));
      out.flush();
      noteOfChart("late: the row at hlc'%s'", row.hlc());
      return wantsMore();
    }

    @Override
    public void retracted(long row, long hlc) {
      progress.ifPresent(ProgressLine::clear);
      printer.retracted(hlc);
      out.flush();
      noteOfChart("retracted: the row at hlc'%s', because an earlier event came late", hlc);
    }

    /** Says what a chart cannot show; other formats have marks. */
    private void noteOfChart(String sentence, long hlc) {
      if (settings.format() == OutputFormat.CHART) {
        errors.note(sentence.formatted(HlcTimestamp.text(hlc)));
      }
    }

    @Override
    public void notice(String sentence) {
      progress.ifPresent(ProgressLine::clear);
      out.flush();
      errors.note(sentence);
    }

    @Override
    public void progress(long cuts, long hlc) {
      progress.ifPresent(line -> line.update(cuts, hlc));
    }

    @Override
    public boolean cancelled() {
      return cancellation.isCancelled();
    }

    /**
     * Ends the output. A result that failed before its first row is not shown to users as empty.
     */
    void end(boolean answered) {
      progress.ifPresent(ProgressLine::clear);
      if (cancellation.isCancelled()) {
        errors.freshLine();
      }
      if (begun && (answered || rowCount > 0 || !settings.format().isForPeople())) {
        printer.end();
      }
      out.flush();
      if (rowCount > maxRows) {
        errors.note(
            String.format(
                Locale.ROOT,
                "%,d more %s: \\r"
                    + "ows 1000 shows more, \\r"
                    + "ows all shows all, \\pager shows them by screens",
                rowCount - maxRows,
                rowCount - maxRows == 1 ? "row" : "rows"));
      }
    }

    /** Shows the text kept for the pager. */
    void page() {
      if (paged.isEmpty()) {
        return;
      }
      try (PagedText text = paged.get()) {
        text.show(settings.out(), pager.orElseThrow());
      } catch (IOException e) {
        errors.error(e);
      }
    }
  }
}
