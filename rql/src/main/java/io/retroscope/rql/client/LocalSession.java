// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.ParsedStatement;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** A session over a source of events in this process; no server is needed. */
public final class LocalSession implements Session {
  private final String target;
  private final EventSource source;
  private final Closeable closing;
  private final QueryEngine engine;

  /** Creates a session; {@code target} is the source's name for users. */
  public LocalSession(String target, EventSource source, QueryLimits limits) {
    this(target, source, () -> {}, limits);
  }

  /**
   * Creates a session over a source that must be closed.
   *
   * @param closing closes the source when the session is closed
   */
  public LocalSession(String target, EventSource source, Closeable closing, QueryLimits limits) {
    this(target, source, closing, new QueryEngine(source, limits));
  }

  private LocalSession(String target, EventSource source, Closeable closing, QueryEngine engine) {
    this.target = target;
    this.source = source;
    this.closing = closing;
    this.engine = engine;
  }

  /** The same session with verdicts that take silent nodes and missing blocks to hold nothing. */
  public LocalSession assumingComplete() {
    return new LocalSession(target, source, closing, engine.assumingComplete());
  }

  @Override
  public String target() {
    return target;
  }

  /** The source of the events. */
  public EventSource events() {
    return source;
  }

  /**
   * {@inheritDoc}
   *
   * @throws ProblemException if the source cannot be read, with the place and the reason
   */
  @Override
  public void run(ParsedStatement statement, RowSink sink) {
    try {
      engine.run(engine.prepare(statement), sink);
    } catch (UncheckedIOException e) {
      throw unreadable(e);
    }
  }

  @Override
  public SharedAnswers runTogether(List<Task> tasks) {
    try {
      return engine.runTogether(
          tasks.stream().map(Task::statement).toList(), tasks.stream().map(Task::sink).toList());
    } catch (UncheckedIOException e) {
      throw unreadable(e);
    }
  }

  private static ProblemException unreadable(UncheckedIOException e) {
    return new ProblemException(String.valueOf(e.getMessage()), false);
  }

  @Override
  public Catalog catalog() {
    try (EventSource.View view = source.open()) {
      return Catalog.of(view);
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
