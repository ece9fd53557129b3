// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.net.URI;

/**
 * A sink that sends blocks to a log server over HTTP: over one WebSocket, or in POSTs if the server
 * or a proxy does not support that. See {@link DeliveringSink} for its behaviour while the server
 * is unavailable. Thread-safe.
 *
 * <p>Over a WebSocket, the server reports whether it has a live query or a followed log open. While
 * it has none, events are gathered for 200 ms and an idle node sends a heartbeat every 5 s.
 */
public final class HttpSink extends DeliveringSink {
  /** The default port of a log server. */
  public static final int DEFAULT_PORT = 7340;

  /** The default address of a log server, which is on this machine. */
  public static final URI DEFAULT_SERVER = URI.create("http://127.0.0.1:" + DEFAULT_PORT);

  HttpSink(HttpSinkBuilder builder) {
    super(new HttpTransport(builder), builder);
  }

  /** A builder of a sink that sends to {@link #DEFAULT_SERVER} unless configured otherwise. */
  public static HttpSinkBuilder builder() {
    return new HttpSinkBuilder();
  }
}
