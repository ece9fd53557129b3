package io.retroscope.sink;

import java.net.URI;

/**
 * Sends blocks to a log server over HTTP; see {@link DeliveringSink} for what it does when that is
 * away.
 */
public final class HttpSink extends DeliveringSink {
  /** Where a log server listens by default. */
  public static final URI DEFAULT_SERVER = URI.create("http://127.0.0.1:7340");

  HttpSink(HttpSinkBuilder builder) {
    super(new HttpTransport(builder.server, builder.gzip, builder.requestTimeout), builder);
  }

  /** A builder for a sink that sends to {@link #DEFAULT_SERVER} until told otherwise. */
  public static HttpSinkBuilder builder() {
    return new HttpSinkBuilder();
  }
}
