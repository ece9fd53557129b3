// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.client.ServerSentEvents.ServerSentEvent;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultReader;
import io.retroscope.rql.json.RowJson;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * One STREAM statement over server-sent events. When the connection fails or is silent for too
 * long, the stream is resumed after the last row received, so that no row is lost or repeated. Used
 * by one thread.
 */
final class LiveStream {
  /** The name of the form in which the data of each event is a line of {@code ResultWriter}. */
  static final String RESULT_FORM = "result";

  /** The part of an id that is the number of the row at its stamp, from 1. */
  private static final int COUNT_PART = 3;

  private final RqlClient client;
  private final String statement;
  private final RowSink sink;
  private final ReconnectLoop loop;
  private final Resumed resumed;
  private ResultReader reader;
  private Optional<String> lastId = Optional.empty();
  private List<Column> columns = List.of();

  LiveStream(RqlClient client, String statement, RowSink sink, Reconnect reconnect) {
    this.client = client;
    this.statement = statement;
    this.sink = sink;
    this.resumed = new Resumed(sink);
    this.reader = new ResultReader(resumed);
    String warning = "the connection to " + client.target() + " failed";
    this.loop =
        new ReconnectLoop(
            reconnect,
            this::isStopped,
            failure -> {
              sink.disconnected();
              sink.notice(warning + resumed.interrupt());
            });
  }

  /**
   * Follows the stream until it ends, the sink wants no more, or no attempt to reconnect remains.
   */
  void run() throws IOException {
    loop.run(this::follow);
  }

  private boolean isStopped() {
    return sink.cancelled() || Thread.currentThread().isInterrupted();
  }

  private void follow() throws IOException {
    HttpResponse<InputStream> response =
        client.open(request(), statement, Optional.of(loop.longestSilence()));
    loop.connected();
    sink.connected();
    reader = new ResultReader(resumed);
    try (LineInput lines = new LineInput(response.body())) {
      ServerSentEvents events = new ServerSentEvents(lines);
      for (Optional<ServerSentEvent> event = events.next();
          event.isPresent();
          event = events.next()) {
        loop.received();
        if (!handle(event.get()) || sink.cancelled()) {
          if (reader.problem().isPresent()) {
            throwProblem(reader.problem().get());
          }
          return;
        }
      }
    }
    throw new EOFException("the server's response is incomplete");
  }

  private HttpRequest.Builder request() {
    String query = URLEncoder.encode(statement, StandardCharsets.UTF_8);
    HttpRequest.Builder request =
        client
            .connection()
            .request("/v1/stream?form=" + RESULT_FORM + "&query=" + query)
            .header("Accept", "text/event-stream");
    lastId.ifPresent(id -> request.header("Last-Event-ID", id));
    return request;
  }

  /** Handles an event; returns whether more are wanted. */
  private boolean handle(ServerSentEvent event) throws IOException {
    boolean more =
        switch (event.type()) {
          case RESULT_FORM -> RqlClient.accept(reader, event.data());
          case "row", "edge" -> row(ServerConnection.object(event.data()), event.id());
          case "late" -> late(ServerConnection.object(event.data()), event.id());
          case "retracted" -> retracted(ServerConnection.object(event.data()));
          case "progress" -> progress(ServerConnection.object(event.data()));
          case "lost", "warning" -> warning(event.data());
          case "notice" -> notice(ServerConnection.object(event.data()));
          case "problem" -> throwProblem(ServerConnection.object(event.data()));
          case "end" -> false;
          default -> true; // Notes, and events of later servers.
        };
    lastId = event.id().isPresent() ? event.id() : lastId;
    return more;
  }

  /**
   * Throws an error. If the server is shutting down it may return, so that is a connection error.
   */
  private boolean throwProblem(StructValue problem) throws IOException {
    if (ProblemJson.isGoingDown(problem)) {
      throw new IOException(client.target() + ": " + ProblemJson.detail(problem));
    }
    throw RqlClient.problemOf(problem, statement);
  }

  private boolean row(StructValue object, Optional<String> id) throws IOException {
    if (columns.isEmpty()) {
      columns = RowJson.columns(object);
      sink.columns(columns);
    }
    return sink.row(RqlClient.row(columns, object, id.map(LiveStream::ordinal).orElse(0)));
  }

  private boolean late(StructValue object, Optional<String> id) throws IOException {
    return columns.isEmpty()
        ? row(object, id)
        : sink.late(RqlClient.row(columns, object, id.map(LiveStream::ordinal).orElse(0)));
  }

  private boolean retracted(StructValue object) throws IOException {
    if (object.fields().get("row") instanceof StringValue row
        && object.fields().get("hlc") instanceof StringValue hlc) {
      try {
        sink.retracted(StreamPlace.rowOf(row.value()), HlcTimestamp.parse(hlc.value()));
      } catch (IllegalArgumentException e) {
        throw ServerConnection.unreadable(e);
      }
    }
    return true;
  }

  /**
   * Returns the number of the row at its stamp: the last of up to three parts, the third of more.
   */
  private static int ordinal(String id) {
    String[] parts = id.split("/", -1);
    String digits = parts[Math.min(parts.length, COUNT_PART) - 1];
    return digits.matches("\\d{1,9}") ? Integer.parseInt(digits) : 0;
  }

  private boolean progress(StructValue object) throws IOException {
    if (object.fields().get("hlc") instanceof StringValue hlc) {
      long cuts = object.fields().get("cuts") instanceof LongValue count ? count.value() : 0;
      try {
        sink.progress(cuts, HlcTimestamp.parse(hlc.value()));
      } catch (IllegalArgumentException e) {
        throw ServerConnection.unreadable(e);
      }
    }
    return true;
  }

  private boolean notice(StructValue object) {
    if (object.fields().get("notice") instanceof StringValue text) {
      sink.notice(text.value());
    }
    return true;
  }

  private boolean warning(String data) throws IOException {
    StructValue object = ServerConnection.object(data);
    sink.warning(object.fields().get("warning") instanceof StringValue text ? text.value() : data);
    return true;
  }

  /** A sink that removes the repeated columns and rows at the beginning of a resumed stream. */
  private static final class Resumed implements RowSink {
    private final RowSink sink;
    private boolean begun;
    private boolean interrupted;
    private long reached = HlcTimestamp.MIN_PACKED;

    Resumed(RowSink sink) {
      this.sink = sink;
    }

    @Override
    public void columns(List<Column> columns) {
      if (!begun) {
        begun = true;
        sink.columns(columns);
      }
    }

    @Override
    public boolean row(Row row) {
      return sink.row(row);
    }

    @Override
    public boolean late(Row row) {
      return sink.late(row);
    }

    @Override
    public void retracted(long row, long hlc) {
      sink.retracted(row, hlc);
    }

    @Override
    public void warning(String message) {
      sink.warning(message);
    }

    @Override
    public void notice(String sentence) {
      sink.notice(sentence);
    }

    /** Notes that the connection failed; returns since when rows may be missing. */
    String interrupt() {
      interrupted = true;
      return reached == HlcTimestamp.MIN_PACKED
          ? "; connecting again"
          : "; not up to date since "
              + HlcTimestamp.isoMicros(HlcTimestamp.micros(reached))
              + ", connecting again";
    }

    @Override
    public void progress(long cuts, long hlc) {
      if (hlc >= reached) {
        if (interrupted && hlc > reached) {
          interrupted = false;
          String stamp = HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
          sink.notice("connected again, up to date until " + stamp);
        }
        reached = hlc;
        sink.progress(cuts, hlc);
      }
    }

    @Override
    public boolean cancelled() {
      return sink.cancelled();
    }
  }
}
