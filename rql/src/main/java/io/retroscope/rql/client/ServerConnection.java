// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.sink.Credentials;
import io.retroscope.sink.HttpSink;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Access to a log server over HTTP with a client's credentials. Every way in which a request can
 * fail has one explanation, which is the same for all clients. Thread-safe.
 */
public final class ServerConnection {
  /** The default address of a log server. */
  public static final URI DEFAULT_SERVER = HttpSink.DEFAULT_SERVER;

  /** The timeout of a connection attempt. */
  static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** The maximum length of a document that is read as a whole. */
  static final int MAX_DOCUMENT_BYTES = 16 << 20;

  private final URI server;
  private final Credentials credentials;
  private final HttpClient http;

  /**
   * Creates a connection, which is not opened before the first request.
   *
   * @param server its address, without a path
   */
  public ServerConnection(URI server, Credentials credentials) {
    this.server = server;
    this.credentials = credentials;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    credentials.sslContext().ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  /** Returns a request for a path, which may have an encoded query. */
  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path));
  }

  /**
   * Sends a request and returns the response, whose status is 200.
   *
   * @param longestSilence the time without data after which waiting or reading fails; empty for no
   *     limit
   * @throws InterruptedIOException if the thread was interrupted
   * @throws IOException if there is no connection, or the credentials cannot be read
   * @throws ProblemException if the server refuses, or is not a log server
   */
  public HttpResponse<InputStream> open(
      HttpRequest.Builder request, Optional<Duration> longestSilence) throws IOException {
    credentials.headers().forEach(request::setHeader);
    HttpResponse<InputStream> response;
    try {
      response = send(request.build(), longestSilence);
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
    String body = text(response);
    if (type.startsWith(ProblemJson.MEDIA_TYPE)) {
      StructValue problem = object(body);
      throw new RefusedException(server + " refused: " + ProblemJson.detail(problem), problem);
    }
    throw new ProblemException(
        "%s answered with status %d%s: is it a log server?"
            .formatted(server, response.statusCode(), page ? " and a page of " + type : ""),
        false);
  }

  /** Like {@link #open}, and returns the whole body. */
  public String text(HttpRequest.Builder request, Optional<Duration> longestSilence)
      throws IOException {
    return text(open(request, longestSilence));
  }

  private static String text(HttpResponse<InputStream> response) throws IOException {
    try (InputStream in = response.body()) {
      return new String(in.readNBytes(MAX_DOCUMENT_BYTES), StandardCharsets.UTF_8);
    }
  }

  /** Returns the object of a JSON text that the server sent. */
  public static StructValue object(String json) throws IOException {
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

  static String contentType(HttpResponse<?> response) {
    return response.headers().firstValue("Content-Type").orElse("");
  }

  /** Returns the likely reason for a failure to connect to a server, for users. */
  private String guess(IOException error) {
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
    boolean connects = "http".equalsIgnoreCase(server.getScheme()) && !isRefusal(error);
    return connects
        ? "something answers there, but not in HTTP: is it https rather than http?"
        : "is the server running?";
  }

  private static boolean isRefusal(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return true;
      }
    }
    return false;
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

  /** The server's address. */
  @Override
  public String toString() {
    return server.toString();
  }
}
