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

/** Says how an {@link HttpSink} is to work. */
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
   * @throws IllegalArgumentException if it is no http or https address
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
   * A header of every request, instead of an earlier one of that name.
   *
   * @throws IllegalArgumentException if requests cannot have it; the message does not show the
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
   * The bearer token by which the server knows this sender.
   *
   * @throws IllegalArgumentException if it is not of visible ASCII characters
   */
  public HttpSinkBuilder token(String token) {
    this.token = BearerToken.of(token);
    return this;
  }

  /** A file that holds the bearer token; it is read again whenever it has changed. */
  public HttpSinkBuilder tokenFile(Path file) {
    this.token = BearerToken.in(file);
    return this;
  }

  /** What to trust and which certificate to show, for https; by default what the JVM says. */
  public HttpSinkBuilder sslContext(SSLContext context) {
    this.sslContext = context;
    return this;
  }

  /** The proxy on the way to the server; by default what the JVM says. */
  public HttpSinkBuilder proxy(ProxySelector proxy) {
    this.proxy = proxy;
    return this;
  }

  /** Whether to compress requests; true by default. */
  public HttpSinkBuilder gzip(boolean gzip) {
    this.gzip = gzip;
    return this;
  }

  /** How long to wait for a connection and for an answer. */
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
