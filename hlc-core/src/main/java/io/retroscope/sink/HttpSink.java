package io.retroscope.sink;

import java.net.URI;

/**
 * Sends blocks to a log server over HTTP: over one WebSocket, or in POSTs where the server or
 * something on the way does not take that. See {@link DeliveringSink} for what it does when the
 * server is away.
 *
 * <p>Over a WebSocket the server says whether a live query or a followed log is open there. While
 * none is, events are gathered for 200 ms and an idle node is heard from every 5 s.
 */
public final class HttpSink extends DeliveringSink {
  /** Where a log server listens by default. */
  public static final URI DEFAULT_SERVER = URI.create("http://127.0.0.1:7340");

  HttpSink(HttpSinkBuilder builder) {
    super(new HttpTransport(builder), builder);
  }

  /** A builder for a sink that sends to {@link #DEFAULT_SERVER} until told otherwise. */
  public static HttpSinkBuilder builder() {
    return new HttpSinkBuilder();
  }
}
