// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** An exchange that puts a stamp on its response when the headers are sent. */
final class StampedExchange extends HttpExchange {
  private final HttpExchange exchange;
  private final Recorder recorder;
  private final boolean isSend;

  /**
   * Wraps an exchange.
   *
   * @param isSend whether the response's stamp is that of a send event
   */
  StampedExchange(HttpExchange exchange, Recorder recorder, boolean isSend) {
    this.exchange = exchange;
    this.recorder = recorder;
    this.isSend = isSend;
  }

  @Override
  public void sendResponseHeaders(int code, long length) throws IOException {
    long hlc = isSend ? recorder.send("") : recorder.tick();
    HlcContext.inject(hlc, exchange.getResponseHeaders(), Headers::set);
    exchange.sendResponseHeaders(code, length);
  }

  @Override
  public Headers getRequestHeaders() {
    return exchange.getRequestHeaders();
  }

  @Override
  public Headers getResponseHeaders() {
    return exchange.getResponseHeaders();
  }

  @Override
  public URI getRequestURI() {
    return exchange.getRequestURI();
  }

  @Override
  public String getRequestMethod() {
    return exchange.getRequestMethod();
  }

  @Override
  public HttpContext getHttpContext() {
    return exchange.getHttpContext();
  }

  @Override
  public void close() {
    exchange.close();
  }

  @Override
  public InputStream getRequestBody() {
    return exchange.getRequestBody();
  }

  @Override
  public OutputStream getResponseBody() {
    return exchange.getResponseBody();
  }

  @Override
  public InetSocketAddress getRemoteAddress() {
    return exchange.getRemoteAddress();
  }

  @Override
  public int getResponseCode() {
    return exchange.getResponseCode();
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return exchange.getLocalAddress();
  }

  @Override
  public String getProtocol() {
    return exchange.getProtocol();
  }

  @Override
  public @Nullable Object getAttribute(String name) {
    return exchange.getAttribute(name);
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    exchange.setAttribute(name, value);
  }

  @Override
  public void setStreams(@Nullable InputStream in, @Nullable OutputStream out) {
    exchange.setStreams(in, out);
  }

  @Override
  public @Nullable HttpPrincipal getPrincipal() {
    return exchange.getPrincipal();
  }
}
