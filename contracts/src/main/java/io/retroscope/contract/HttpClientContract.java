// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.context.HlcContext;
import io.retroscope.event.EventBody;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of an HTTP client that takes the stamp along with each request, and observes that of
 * each response. The receiver is a server on a loopback port. Used by one thread.
 */
public abstract class HttpClientContract extends CarrierContract {
  private HttpServer server;

  /** Creates a contract. */
  protected HttpClientContract() {}

  /**
   * Sends a GET request, and returns when its response has arrived.
   *
   * @param traced whether by the client under test, otherwise by one that is not instrumented
   * @param stamp the value of the header {@link HlcContext#HEADER}; null for none
   * @return the response's status
   */
  protected abstract int get(boolean traced, URI uri, @Nullable String stamp) throws Exception;

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    HlcContext.extract(exchange.getRequestHeaders(), (headers, name) -> headers.getFirst(name))
        .ifPresent(remote -> receiver.receive("", remote));
    arrived();
    HlcContext.inject(
        receiver.send(""),
        exchange.getResponseHeaders(),
        (headers, name, value) -> headers.set(name, value));
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  private void request(boolean traced, @Nullable String stamp) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    assertThat(get(traced, uri, stamp)).isEqualTo(200);
  }

  @Override
  protected final void carry() throws Exception {
    request(true, null);
  }

  @Override
  protected final void carryUntraced() throws Exception {
    request(false, null);
  }

  @Override
  protected final void carryUnreadable(String stamp) throws Exception {
    request(false, stamp);
  }

  @Test
  void response_isReceivedAboveTheEffect() throws Exception {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }

  @Test
  void request_withAStampOfItsOwn_carriesOnlyThatOfItsSend() throws Exception {
    request(true, "0.1");
    assertThat(((EventBody.Receive) only(receivedEvents(EventBody.Receive.class)).body()).id())
        .isEqualTo(((EventBody.Send) only(sentEvents(EventBody.Send.class)).body()).id());
  }
}
