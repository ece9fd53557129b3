package io.retroscope.sink;

import java.net.URI;
import java.time.Duration;

/** Says how an {@link HttpSink} is to work. */
public final class HttpSinkBuilder extends DeliveringSinkBuilder<HttpSinkBuilder> {
  URI server = HttpSink.DEFAULT_SERVER;
  boolean gzip = true;
  Duration requestTimeout = Duration.ofSeconds(10);

  HttpSinkBuilder() {}

  @Override
  protected HttpSinkBuilder self() {
    return this;
  }

  /**
   * The log server, as in {@code http://host:7340}.
   *
   * @throws IllegalArgumentException if it is no http or https address
   */
  public HttpSinkBuilder server(URI server) {
    String scheme = String.valueOf(server.getScheme());
    if ((!scheme.equals("http") && !scheme.equals("https")) || server.getHost() == null) {
      throw new IllegalArgumentException(
          "the log server's address must be like http://host:7340: " + server);
    }
    this.server = server;
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
