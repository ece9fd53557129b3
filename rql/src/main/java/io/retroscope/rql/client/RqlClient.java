package io.retroscope.rql.client;

import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultReader;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.parser.Reading;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** A client that queries a log server over HTTP. */
public final class RqlClient implements Session {
  /** The default address of a log server. */
  public static final URI DEFAULT_SERVER = URI.create("http://127.0.0.1:7340");

  /** The timeout of a connection attempt. */
  static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** The timeout of a request for the catalog. */
  static final Duration CATALOG_TIMEOUT = Duration.ofSeconds(10);

  /** The maximum length of a problem or catalog. */
  static final int MAX_DOCUMENT_BYTES = 16 << 20;

  private static final String NDJSON = "application/x-ndjson";

  private final URI server;
  private final Credentials credentials;
  private final HttpClient http;
  private final Reconnect reconnect;

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
    this(server, credentials, Reconnect.DEFAULT);
  }

  RqlClient(URI server, Credentials credentials, Reconnect reconnect) {
    this.server = server;
    this.credentials = credentials;
    this.reconnect = reconnect;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    credentials.sslContext().ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  @Override
  public String target() {
    return server.toString();
  }

  @Override
  public void run(Reading statement, RowSink sink) throws IOException {
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
        HttpRequest.newBuilder(server.resolve("/v1/query"))
            .header("Accept", ResultWriter.MEDIA_TYPE + ", " + NDJSON + ";q=0.5")
            .header("Content-Type", "application/rql; charset=utf-8")
            .POST(HttpRequest.BodyPublishers.ofString(statement, StandardCharsets.UTF_8));
    HttpResponse<InputStream> response = open(request, statement);
    try (LineInput lines = new LineInput(response.body())) {
      if (contentType(response).startsWith(ResultWriter.MEDIA_TYPE)) {
        readResult(lines, statement, sink);
      } else {
        readRows(lines, statement, sink);
      }
    }
  }

  private static void readResult(LineInput lines, String statement, RowSink sink)
      throws IOException {
    ResultReader reader = new ResultReader(sink);
    for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
      if (!accept(reader, line.get()) || sink.cancelled()) {
        throwProblem(reader.problem(), statement);
        return;
      }
    }
    throw new IOException("the server's response is incomplete");
  }

  static boolean accept(ResultReader reader, String line) throws IOException {
    try {
      return reader.line(line);
    } catch (IllegalArgumentException e) {
      throw unreadable(e);
    }
  }

  /** Reads rows in the form for all programs; the first row determines the columns. */
  private static void readRows(LineInput lines, String statement, RowSink sink) throws IOException {
    List<Column> columns = List.of();
    boolean begun = false;
    for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
      StructValue object = object(line.get());
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
      throw unreadable(e);
    }
  }

  static StructValue object(String json) throws IOException {
    try {
      if (JsonValues.parse(json) instanceof StructValue object) {
        return object;
      }
    } catch (IllegalArgumentException e) {
      throw unreadable(e);
    }
    throw new IOException("the server's response is not a JSON object");
  }

  static IOException unreadable(IllegalArgumentException e) {
    return new IOException("the server's response cannot be read: " + e.getMessage(), e);
  }

  static void throwProblem(Optional<StructValue> problem, String statement) {
    if (problem.isPresent()) {
      throw problemOf(problem.get(), statement);
    }
  }

  static RuntimeException problemOf(StructValue problem, String statement) {
    Optional<RqlException> error = ProblemJson.error(problem, statement);
    return error.isPresent() ? error.get() : new ProblemException(ProblemJson.detail(problem));
  }

  private HttpResponse<InputStream> open(HttpRequest.Builder request, String statement)
      throws IOException {
    return open(request, statement, Optional.empty());
  }

  /**
   * Sends a request; throws the exception for any status other than 200.
   *
   * @param longestSilence the time after which reading the response fails; empty for no limit
   */
  HttpResponse<InputStream> open(
      HttpRequest.Builder builder, String statement, Optional<Duration> longestSilence)
      throws IOException {
    credentials.headers().forEach(builder::setHeader);
    HttpRequest request = builder.build();
    HttpResponse<InputStream> response;
    try {
      response = send(request, longestSilence);
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while waiting for " + server);
    } catch (InterruptedIOException e) {
      throw new IOException("no connection to " + server + ": it does not respond", e);
    } catch (IOException e) {
      throw new IOException("no connection to " + server + ": " + guess(e), e);
    }
    String type = contentType(response);
    boolean page = type.startsWith("text/") && !type.startsWith("text/event-stream");
    if (response.statusCode() == 200 && !page) {
      return response;
    }
    String body = body(response);
    if (type.startsWith(ProblemJson.MEDIA_TYPE)) {
      throw problemOf(object(body), statement);
    }
    throw new ProblemException(
        "%s answered with status %d%s: is it a log server?"
            .formatted(server, response.statusCode(), page ? " and a page of " + type : ""));
  }

  /** Returns the likely reason for a failure to connect to a server, for users. */
  public static String guess(IOException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof HttpTimeoutException) {
        return "it does not respond";
      }
      if (cause instanceof UnresolvedAddressException) {
        return "there is no host with this name";
      }
      if (cause instanceof SSLException) {
        return isDistrust(cause)
            ? "its certificate is not trusted; name its authority in RETROSCOPE_CA"
            : "is it http rather than https?";
      }
    }
    return "is the server running?";
  }

  private static boolean isDistrust(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return true;
      }
    }
    return false;
  }

  private HttpResponse<InputStream> send(HttpRequest request, Optional<Duration> longestSilence)
      throws IOException, InterruptedException {
    HttpResponse.BodyHandler<InputStream> body = info -> new InterruptibleBody(longestSilence);
    if (longestSilence.isEmpty()) {
      return http.send(request, body);
    }
    // With later JDKs, the timeout of the request itself would also end a long response.
    CompletableFuture<HttpResponse<InputStream>> answer = http.sendAsync(request, body);
    try {
      return answer.get(longestSilence.get().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new HttpTimeoutException(
          "no response within " + longestSilence.get().toMillis() + " ms");
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e.getCause());
    } finally {
      answer.cancel(true);
    }
  }

  private static String body(HttpResponse<InputStream> response) throws IOException {
    try (InputStream in = response.body()) {
      return new String(in.readNBytes(MAX_DOCUMENT_BYTES), StandardCharsets.UTF_8);
    }
  }

  private static String contentType(HttpResponse<?> response) {
    return response.headers().firstValue("Content-Type").orElse("");
  }

  URI server() {
    return server;
  }

  @Override
  public Catalog catalog() throws IOException {
    return CatalogJson.read(get("/v1/logs"), get("/v1/nodes"));
  }

  private String get(String path) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path)).header("Accept", "application/json");
    return body(open(request, "", Optional.of(CATALOG_TIMEOUT)));
  }

  @Override
  public void close() {}
}
