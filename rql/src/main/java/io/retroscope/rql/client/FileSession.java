// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.event.Event;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.file.EventFileException;
import io.retroscope.rql.file.EventFileSet;
import io.retroscope.rql.file.LazyEventSource;
import io.retroscope.rql.parser.ParsedStatement;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A session over files of events; no server is needed. The files are read when a statement first
 * needs an event.
 */
public final class FileSession implements Session {
  private final String target;
  private final EventSource source;
  private final Closeable closing;
  private final QueryEngine engine;

  /** Creates a session over any source; {@code target} is its name for users. */
  public FileSession(String target, EventSource source, QueryLimits limits) {
    this(target, source, () -> {}, limits);
  }

  private FileSession(String target, EventSource source, Closeable closing, QueryLimits limits) {
    this(target, source, closing, new QueryEngine(source, limits));
  }

  private FileSession(String target, EventSource source, Closeable closing, QueryEngine engine) {
    this.target = target;
    this.source = source;
    this.closing = closing;
    this.engine = engine;
  }

  /**
   * Opens a file: newline-delimited JSON, or the blocks of a sink.
   *
   * @param alignment computes the clock offsets from all events of the file
   * @throws IOException if it does not exist
   */
  public static FileSession open(
      Path file, Function<Iterable<Event>, ClockOffsets> alignment, QueryLimits limits)
      throws IOException {
    return open(new EventFileSet(List.of(file), new EventFileSet.Settings(alignment)), limits);
  }

  /** The same session with verdicts that take silent nodes and missing blocks to hold nothing. */
  public FileSession assumingComplete() {
    return new FileSession(target, source, closing, engine.assumingComplete());
  }

  /** Opens files of events. */
  public static FileSession open(EventFileSet files, QueryLimits limits) {
    LazyEventSource source = files.source();
    return new FileSession(files.names(), source, source, limits);
  }

  @Override
  public String target() {
    return target;
  }

  /** The events of the files. */
  public EventSource events() {
    return source;
  }

  /**
   * {@inheritDoc}
   *
   * @throws ProblemException if the files cannot be read, with the place and the reason
   */
  @Override
  public void run(ParsedStatement statement, RowSink sink) {
    reading(
        () -> {
          PreparedQuery query = engine.prepare(statement);
          engine.run(query, sink);
          return query;
        });
  }

  @Override
  public SharedAnswers runTogether(List<Task> tasks) {
    return reading(
        () ->
            engine.runTogether(
                tasks.stream().map(Task::statement).toList(),
                tasks.stream().map(Task::sink).toList()));
  }

  /** Runs work that may read the files. */
  private static <T> T reading(Supplier<T> work) {
    try {
      return work.get();
    } catch (EventFileException e) {
      throw new ProblemException(e.reason(), false);
    } catch (UncheckedIOException e) {
      throw new ProblemException(String.valueOf(e.getMessage()), false);
    }
  }

  @Override
  public Catalog catalog() {
    try (EventSource.View view = source.open()) {
      return Catalog.of(view);
    } catch (EventFileException e) {
      throw new ProblemException(e.reason(), false);
    }
  }

  @Override
  public void close() {
    try {
      closing.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
