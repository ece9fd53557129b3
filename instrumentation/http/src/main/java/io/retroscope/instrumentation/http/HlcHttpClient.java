// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * A {@code java.net.http} client whose requests carry the stamp of their send event, and whose
 * responses that carry one are receive events before the caller sees them. Thread-safe. Web sockets
 * pass through unstamped.
 *
 * <p>Each exchange costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcHttpClient extends HttpClient {
  private final HttpClient client;
  private final Recorder recorder;

  private HlcHttpClient(HttpClient client, Recorder recorder) {
    this.client = client;
    this.recorder = recorder;
  }

  /** A client that delegates to {@code client} and propagates the recorder's clock. */
  public static HttpClient over(HttpClient client, Recorder recorder) {
    return new HlcHttpClient(client, recorder);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> bodyHandler)
      throws IOException, InterruptedException {
    return client.send(stamped(request), observing(bodyHandler));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> bodyHandler) {
    return client.sendAsync(stamped(request), observing(bodyHandler));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> bodyHandler, PushPromiseHandler<T> pushPromiseHandler) {
    return client.sendAsync(stamped(request), observing(bodyHandler), pushPromiseHandler);
  }

  private HttpRequest stamped(HttpRequest request) {
    return new StampedRequest(request, recorder.send(""));
  }

  /**
   * Observes the stamp when the headers have arrived, so that a body read as a stream comes after
   * it as well.
   */
  private <T> BodyHandler<T> observing(BodyHandler<T> bodyHandler) {
    return response -> {
      HlcContext.extract(response.headers(), HlcHttpClient::first)
          .ifPresent(remote -> recorder.receive("", remote));
      return bodyHandler.apply(response);
    };
  }

  /** Not by {@code firstValue}, which creates a stream. */
  private static @Nullable String first(HttpHeaders headers, String name) {
    List<String> values = headers.allValues(name);
    return values.isEmpty() ? null : values.get(0);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }
}
