package io.retroscope.server.api;

import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.Column;
import io.retroscope.rql.engine.Row;
import io.retroscope.rql.engine.RowSink;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.shell.OutputFormat;
import io.retroscope.rql.shell.ResultPrinter;
import io.retroscope.server.ingest.BatchReader;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Writes a historical result in the form that was asked for. Used by one thread. */
final class QuerySink implements RowSink {
  private static final String NDJSON = BatchReader.NDJSON;
  private static final String CSV = "text/csv";

  /** How often to look whether the client is still there. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Answer answer;
  private final RowSink form;
  private final Metrics metrics;
  private final MonotonicClock clock;
  private final long deadlineNanos;
  private final ClientPresence client;
  private long lookedNanos;
  private boolean gone;

  private QuerySink(
      Answer answer,
      RowSink form,
      ClientPresence client,
      Metrics metrics,
      MonotonicClock clock,
      Duration time) {
    this.answer = answer;
    this.form = form;
    this.client = client;
    this.metrics = metrics;
    this.clock = clock;
    this.lookedNanos = clock.nanos();
    this.deadlineNanos = lookedNanos + time.toNanos();
  }

  /** The media type to answer with: the first known one that the request names. */
  static String mediaType(String accept) {
    for (String part : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      String type = part.split(";", 2)[0].strip();
      if (type.equals(ResultWriter.MEDIA_TYPE) || type.equals(CSV) || type.equals(NDJSON)) {
        return type;
      }
    }
    return NDJSON;
  }

  static QuerySink of(
      String mediaType,
      Answer answer,
      ClientPresence client,
      Metrics metrics,
      MonotonicClock clock,
      Duration time) {
    RowSink form =
        switch (mediaType) {
          case ResultWriter.MEDIA_TYPE -> new ResultWriter(line -> answer.write(line + "\n"));
          case CSV -> new Csv(answer);
          default -> new Lines(answer);
        };
    return new QuerySink(answer, form, client, metrics, clock, time);
  }

  @Override
  public void columns(List<Column> columns) {
    form.columns(columns);
  }

  @Override
  public boolean row(Row row) {
    metrics.increment(Count.ROWS);
    return form.row(row);
  }

  @Override
  public void warning(String message) {
    form.warning(message);
  }

  @Override
  public void progress(long cuts, long hlc) {
    form.progress(cuts, hlc);
    answer.send();
  }

  @Override
  public boolean cancelled() {
    long now = clock.nanos();
    if (now - lookedNanos >= LOOK_NANOS) {
      lookedNanos = now;
      gone = client.isGone() || answer.isRevoked();
    }
    return gone || answer.isBroken() || now - deadlineNanos > 0;
  }

  boolean isOverdue() {
    return clock.nanos() - deadlineNanos > 0;
  }

  /** Ends a result that is complete. */
  void end() {
    if (form instanceof ResultWriter result) {
      result.end();
    }
    answer.send();
  }

  /** Ends a result that failed after its first rows were sent. */
  void problem(int status, RqlException error) {
    problem(ProblemJson.text(status, error));
  }

  /** Ends a result that failed after its first rows were sent. */
  void problem(String problem) {
    if (form instanceof ResultWriter result) {
      result.problem(problem);
    } else {
      answer.problem(problem);
    }
    answer.send();
  }

  /** A JSON object a row. */
  private static final class Lines implements RowSink {
    private final Answer answer;
    private List<Column> columns = List.of();

    Lines(Answer answer) {
      this.answer = answer;
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
      return answer.write(RowJson.text(columns, row) + "\n");
    }

    @Override
    public void warning(String message) {
      answer.write(RowJson.warning(message) + "\n");
    }
  }

  /** Comma-separated values, which have no place for warnings. */
  private static final class Csv implements RowSink {
    private final Answer answer;
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);
    private final ResultPrinter printer = OutputFormat.CSV.printer(out, 80, false);

    Csv(Answer answer) {
      this.answer = answer;
    }

    @Override
    public void columns(List<Column> columns) {
      printer.columns(columns);
      pass();
    }

    @Override
    public boolean row(Row row) {
      printer.row(row);
      return pass();
    }

    private boolean pass() {
      out.flush();
      boolean wanted = answer.write(text.toString());
      text.getBuffer().setLength(0);
      return wanted;
    }

    @Override
    public void warning(String message) {}
  }
}
