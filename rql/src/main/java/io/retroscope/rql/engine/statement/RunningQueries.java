// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The running statements, for SHOW QUERIES and KILL QUERY. Thread-safe. */
public final class RunningQueries {
  private final AtomicLong lastId = new AtomicLong();
  private final Map<Long, Ticket> tickets = new ConcurrentSkipListMap<>();
  private final AtomicInteger count = new AtomicInteger();

  /**
   * Creates the ticket of a statement that is about to run.
   *
   * @param range the place of the statement in its text
   */
  public Ticket enter(String text, SourceRange range) {
    return new Ticket(lastId.incrementAndGet(), text, range);
  }

  /** The number of running statements. */
  public int count() {
    return count.get();
  }

  /** The tickets by number, in the order in which the statements began. */
  Map<Long, Ticket> all() {
    return tickets;
  }

  /** Ends a statement soon; returns whether it is running. */
  boolean kill(long id) {
    Ticket ticket = tickets.get(id);
    if (ticket != null) {
      ticket.killed = true;
    }
    return ticket != null;
  }

  /** Ends all running statements soon. */
  public void killAll() {
    tickets.values().forEach(ticket -> ticket.killed = true);
  }

  /** The registration of a statement, held while it runs. */
  public final class Ticket implements AutoCloseable {
    private final long id;
    private final String text;
    private final SourceRange range;
    private volatile boolean killed;

    private Ticket(long id, String text, SourceRange range) {
      this.id = id;
      this.text = text;
      this.range = range;
    }

    /** Enters the statement among those that run, until the ticket is closed. */
    public void begin() {
      if (tickets.put(id, this) == null) {
        count.incrementAndGet();
      }
    }

    /** The text of the statement. */
    public String text() {
      return text;
    }

    /** Returns a sink that reports itself as cancelled as soon as the statement is killed. */
    public RowSink watched(RowSink sink) {
      return new Watched(sink);
    }

    /**
     * Checks that the statement was not killed.
     *
     * @throws RqlException if it was
     */
    public void checkAlive() {
      if (killed) {
        throw new RqlException(text, List.of(ErrorCode.QUERY_KILLED.at(range, id)));
      }
    }

    @Override
    public void close() {
      if (tickets.remove(id) != null) {
        count.decrementAndGet();
      }
    }

    private final class Watched implements RowSink {
      private final RowSink sink;

      Watched(RowSink sink) {
        this.sink = sink;
      }

      @Override
      public void columns(List<Column> columns) {
        sink.columns(columns);
      }

      @Override
      public void found(long hlc) {
        sink.found(hlc);
      }

      @Override
      public void place(StreamPlace place) {
        sink.place(place);
      }

      @Override
      public boolean row(Row row) {
        return sink.row(row) && !killed;
      }

      @Override
      public boolean cells(RowCells cells) {
        return sink.cells(cells) && !killed;
      }

      @Override
      public boolean late(Row row) {
        return sink.late(row) && !killed;
      }

      @Override
      public void retracted(long row, long hlc) {
        sink.retracted(row, hlc);
      }

      @Override
      public void lost(long from, long until, String message) {
        sink.lost(from, until, message);
      }

      @Override
      public void notice(String sentence) {
        sink.notice(sentence);
      }

      @Override
      public void warning(String message) {
        sink.warning(message);
      }

      @Override
      public boolean takesWarnings() {
        return sink.takesWarnings();
      }

      @Override
      public void progress(long cuts, long hlc) {
        sink.progress(cuts, hlc);
      }

      @Override
      public boolean cancelled() {
        return killed || sink.cancelled();
      }
    }
  }
}
