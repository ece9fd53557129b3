package io.retroscope.rql.client;

import io.retroscope.event.Event;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.Reading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A session over a file of events, which is read into memory; no server is needed. */
public final class FileSession implements Session {
  /** The maximum number of events that are read into memory; larger logs need a log server. */
  public static final int MAX_EVENTS = 20_000_000;

  private final String target;
  private final EventSource source;
  private final QueryEngine engine;

  /** Creates a session over any source; {@code target} is its name for users. */
  public FileSession(String target, EventSource source, QueryLimits limits) {
    this.target = target;
    this.source = source;
    this.engine = new QueryEngine(source, limits);
  }

  /**
   * Reads a file: newline-delimited JSON, or the blocks of a sink.
   *
   * @param alignment computes the clock offsets from all events of the file
   * @throws ProblemException if the file has another format, with the place and the reason
   * @throws IOException if it cannot be read
   */
  public static FileSession open(
      Path file, Function<Collection<Event>, ClockOffsets> alignment, QueryLimits limits)
      throws IOException {
    return open(List.of(file), alignment, limits);
  }

  /** Reads several files, as {@link #open(Path, Function, QueryLimits)} reads one. */
  public static FileSession open(
      List<Path> files, Function<Collection<Event>, ClockOffsets> alignment, QueryLimits limits)
      throws IOException {
    EventCollector all = new EventCollector();
    for (Path file : files) {
      EventFile.read(file, all);
    }
    EventSource source =
        new InMemoryEventSource(
            all.events(), all.gaps(), all.warnings(), alignment.apply(all.events()));
    String target =
        files.stream()
            .map(file -> String.valueOf(file.getFileName()))
            .collect(Collectors.joining(", "));
    return new FileSession(target, source, limits);
  }

  @Override
  public String target() {
    return target;
  }

  @Override
  public void run(Reading statement, RowSink sink) {
    PreparedQuery query = engine.prepare(statement);
    engine.run(query, sink);
  }

  @Override
  public Catalog catalog() {
    try (EventSource.View view = source.open()) {
      return Catalog.of(view);
    }
  }

  @Override
  public void close() {}
}
