package io.retroscope.rql.engine;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.Optional;

/** Answers statements over one source of events. Thread-safe. */
public final class QueryEngine {
  private final EventSource source;
  private final QueryLimits limits;

  /** Answers from the source, within the limits. */
  public QueryEngine(EventSource source, QueryLimits limits) {
    this.source = source;
    this.limits = limits;
  }

  /**
   * Parses and checks one statement.
   *
   * @throws RqlException with every independent error
   */
  public PreparedQuery prepare(String rql) {
    if (rql.isBlank()) {
      throw new RqlException(
          rql,
          List.of(
              new Diagnostic(
                  "RQL0101",
                  "there is no statement",
                  new SourceRange(0, rql.length()),
                  Optional.empty())));
    }
    return new PreparedQuery(rql, false);
  }

  /**
   * Runs a statement over all that is stored now and hands its rows to the sink.
   *
   * @throws IllegalArgumentException if it is a STREAM
   * @throws RqlException if it fails in a cut
   */
  public void run(PreparedQuery query, RowSink sink) {
    if (query.isStream()) {
      throw new IllegalArgumentException("a STREAM is opened by openLive: " + query.text());
    }
    try (EventSource.View view = source.open()) {
      view.logs();
      sink.columns(List.of());
    }
  }

  /**
   * Opens a STREAM: walks what its ON TIME asks for up to the watermark, and is then advanced.
   *
   * @param view holds every event up to the watermark; read during this call only
   * @param start where history ends and live begins
   * @throws IllegalArgumentException if the query is no STREAM
   * @throws RqlException if it fails in a cut
   */
  public LiveWalk openLive(
      PreparedQuery query, EventSource.View view, Watermark start, RowSink sink) {
    if (!query.isStream()) {
      throw new IllegalArgumentException("not a STREAM: " + query.text());
    }
    return new LiveWalk();
  }

  QueryLimits limits() {
    return limits;
  }
}
