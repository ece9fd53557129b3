// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultReader;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A client that queries a log server over HTTP. */
public final class RqlClient implements Session {
  /** The timeout of a request for the catalog. */
  static final Duration CATALOG_TIMEOUT = Duration.ofSeconds(10);

  private static final String NDJSON = "application/x-ndjson";

  private final ServerConnection connection;
  private final Reconnect reconnect;
  private final String path;

  /**
   * Creates a client of one server.
   *
   * @param server its address, without a path
   */
  public RqlClient(URI server) {
    this(server, Credentials.NONE);
  }

  /**
   * Creates a client of one server that requires credentials.
   *
   * @param server its address, without a path
   */
  public RqlClient(URI server, Credentials credentials) {
    this(new ServerConnection(server, credentials));
  }

  /** Creates a client that uses a connection. */
  public RqlClient(ServerConnection connection) {
    this(connection, Reconnect.DEFAULT);
  }

  /** Creates a client that uses a connection, and opens streams again by this policy. */
  public RqlClient(ServerConnection connection, Reconnect reconnect) {
    this(connection, reconnect, "/v1/query");
  }

  private RqlClient(ServerConnection connection, Reconnect reconnect, String path) {
    this.connection = connection;
    this.reconnect = reconnect;
    this.path = path;
  }

  /** The same client with verdicts that take silent nodes and missing blocks to hold nothing. */
  public RqlClient assumingComplete() {
    return new RqlClient(connection, reconnect, "/v1/query?assume=complete");
  }

  @Override
  public String target() {
    return connection.toString();
  }

  @Override
  public void run(ParsedStatement statement, RowSink sink) throws IOException {
    try {
      // The server explains the errors of a statement that cannot be parsed.
      if (statement.isLive()) {
        new LiveStream(this, statement.text(), sink, reconnect).run();
      } else {
        query(statement.text(), sink);
      }
    } catch (InterruptedIOException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      if (!sink.cancelled() && !Thread.currentThread().isInterrupted()) {
        throw e;
      }
    }
  }

  private void query(String statement, RowSink sink) throws IOException {
    HttpRequest.Builder request =
        connection
            .request(path)
            .header("Accept", ResultWriter.MEDIA_TYPE + ", " + NDJSON + ";q=0.5")
            .header("Content-Type", "application/rql; charset=utf-8")
            .POST(HttpRequest.BodyPublishers.ofString(statement, StandardCharsets.UTF_8));
    HttpResponse<InputStream> response = open(request, statement, Optional.empty());
    try (LineInput lines = new LineInput(response.body())) {
      if (ServerConnection.contentType(response).startsWith(ResultWriter.MEDIA_TYPE)) {
        readResult(lines, statement, sink);
      } else {
        readRows(lines, statement, sink);
      }
    }
  }

  private static void readResult(LineInput lines, String statement, RowSink sink)
      throws IOException {
    ResultReader reader = new ResultReader(sink);
    while (lines.advance()) {
      if (!accept(reader, lines) || sink.cancelled()) {
        throwProblem(reader.problem(), statement);
        return;
      }
    }
    throw new IOException("the server's response is incomplete");
  }

  private static boolean accept(ResultReader reader, LineInput line) throws IOException {
    try {
      return reader.line(line.bytes(), line.start(), line.end());
    } catch (IllegalArgumentException e) {
      throw ServerConnection.unreadable(e);
    }
  }

  static boolean accept(ResultReader reader, String line) throws IOException {
    try {
      return reader.line(line);
    } catch (IllegalArgumentException e) {
      throw ServerConnection.unreadable(e);
    }
  }

  /** Reads rows in the form for all programs; the first row determines the columns. */
  private static void readRows(LineInput lines, String statement, RowSink sink) throws IOException {
    List<Column> columns = List.of();
    boolean begun = false;
    for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
      StructValue object = ServerConnection.object(line.get());
      Optional<String> warning = RowJson.warningIn(object);
      if (warning.isPresent()) {
        sink.warning(warning.get());
      } else if (object.fields().size() == 1
          && object.fields().get("problem") instanceof StructValue problem) {
        throwProblem(Optional.of(problem), statement);
      } else {
        if (!begun) {
          begun = true;
          columns = RowJson.columns(object);
          sink.columns(columns);
        }
        if (!sink.row(row(columns, object, 0)) || sink.cancelled()) {
          return;
        }
      }
    }
    if (!begun) {
      sink.columns(List.of());
    }
  }

  static Row row(List<Column> columns, StructValue object, int ordinal) throws IOException {
    try {
      return RowJson.row(columns, object, ordinal);
    } catch (IllegalArgumentException e) {
      throw ServerConnection.unreadable(e);
    }
  }

  static void throwProblem(Optional<StructValue> problem, String statement) {
    if (problem.isPresent()) {
      throw problemOf(problem.get(), statement);
    }
  }

  static RuntimeException problemOf(StructValue problem, String statement) {
    Optional<RqlException> error = ProblemJson.error(problem, statement);
    return error.isPresent()
        ? error.get()
        : new ProblemException(ProblemJson.detail(problem), ProblemJson.isOfStatement(problem));
  }

  /**
   * Sends a request and returns the response, whose status is 200.
   *
   * @param longestSilence the time after which reading the response fails; empty for no limit
   * @throws RqlException if the server refuses the statement
   */
  HttpResponse<InputStream> open(
      HttpRequest.Builder request, String statement, Optional<Duration> longestSilence)
      throws IOException {
    try {
      return connection.open(request, longestSilence);
    } catch (RefusedException e) {
      throw problemOf(e.problem(), statement);
    }
  }

  ServerConnection connection() {
    return connection;
  }

  @Override
  public Catalog catalog() throws IOException {
    return CatalogJson.read(get("/v1/logs"), get("/v1/nodes"));
  }

  private String get(String path) throws IOException {
    return connection.text(
        connection.request(path).header("Accept", "application/json"),
        Optional.of(CATALOG_TIMEOUT));
  }

  @Override
  public void close() {}
}
