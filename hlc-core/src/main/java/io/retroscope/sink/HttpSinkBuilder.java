// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The settings of an {@link HttpSink}. Not thread-safe. */
public final class HttpSinkBuilder extends DeliveringSinkBuilder<HttpSinkBuilder> {
  URI server = HttpSink.DEFAULT_SERVER;
  boolean gzip = true;
  Duration requestTimeout = Duration.ofSeconds(10);
  final Map<String, String> headers = new LinkedHashMap<>();
  @Nullable BearerToken token;
  @Nullable SSLContext sslContext;
  @Nullable ProxySelector proxy;

  HttpSinkBuilder() {}

  @Override
  protected HttpSinkBuilder self() {
    return this;
  }

  /**
   * The log server, as in {@code http://host:7340}; also below a path, as in {@code
   * https://host/retroscope}.
   *
   * @throws IllegalArgumentException if it is not an http or https address
   */
  public HttpSinkBuilder server(URI server) {
    String scheme = String.valueOf(server.getScheme());
    if ((!scheme.equals("http") && !scheme.equals("https")) || server.getHost() == null) {
      throw new IllegalArgumentException(
          "the log server's address must be like http://host:7340: "
              + server.toString().replaceFirst("//[^/@]*@", "//"));
    }
    this.server = server;
    return this;
  }

  /**
   * Adds a header to every request, replacing an earlier one of that name.
   *
   * @throws IllegalArgumentException if requests cannot have it; the message does not contain the
   *     value
   */
  public HttpSinkBuilder header(String name, String value) {
    try {
      HttpRequest.newBuilder(server).setHeader(name, value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("requests cannot have this header \"" + name + "\"");
    }
    headers.put(name, value);
    return this;
  }

  /**
   * The bearer token that authenticates this sender.
   *
   * @throws IllegalArgumentException if it has other than visible ASCII characters
   */
  public HttpSinkBuilder token(String token) {
    this.token = BearerToken.of(token);
    return this;
  }

  /** A file that contains the bearer token; it is read again whenever it has changed. */
  public HttpSinkBuilder tokenFile(Path file) {
    this.token = BearerToken.in(file);
    return this;
  }

  /** The trusted and presented certificates for https; by default the JVM's. */
  public HttpSinkBuilder sslContext(SSLContext context) {
    this.sslContext = context;
    return this;
  }

  /** The proxy to the server; by default the JVM's. */
  public HttpSinkBuilder proxy(ProxySelector proxy) {
    this.proxy = proxy;
    return this;
  }

  /** Whether to compress requests; true by default. */
  public HttpSinkBuilder gzip(boolean gzip) {
    this.gzip = gzip;
    return this;
  }

  /**
   * The timeout for a connection and for a response. It doubles after each late response, up to 16
   * times, until one is in time.
   */
  public HttpSinkBuilder requestTimeout(Duration timeout) {
    positive("requestTimeout", timeout.toMillis());
    this.requestTimeout = timeout;
    return this;
  }

  @Override
  public HttpSink build() {
    return new HttpSink(this);
  }
}
