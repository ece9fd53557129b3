// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with the JDK's HTTP server on a loopback port. */
class HlcServerFilterTest extends CarrierContract {
  private static final byte[] BODY = "counted".getBytes(StandardCharsets.UTF_8);

  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient traced = HlcHttpClient.over(plain, sender);
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var context =
        server.createContext(
            "/",
            exchange -> {
              arrived();
              exchange.setAttribute("seen", exchange.getRequestURI());
              exchange.getRequestBody().readAllBytes();
              exchange.sendResponseHeaders(200, BODY.length);
              try (OutputStream out = exchange.getResponseBody()) {
                out.write(BODY);
              }
            });
    context.getFilters().add(new HlcServerFilter(receiver));
    context = server.createContext("/edge", exchange -> exchange.sendResponseHeaders(204, -1));
    context.getFilters().add(new HlcServerFilter(receiver, false));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private HttpRequest.Builder request(String path) {
    int port = server.getAddress().getPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private HttpResponse<String> send(HttpClient client, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
    assertThat(response.body()).isEqualTo("counted");
    return response;
  }

  @Override
  protected void carry() throws Exception {
    send(traced, request("/"));
  }

  @Override
  protected void carryUntraced() throws Exception {
    send(plain, request("/"));
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    send(plain, request("/").header("x-hlc", stamp));
  }

  /** Otherwise each answer to such a caller would look like a message that was lost. */
  @Test
  void response_toACallerWithoutAStamp_isNoSend() throws Exception {
    carryUntraced();
    carryUnreadable("yesterday");
    assertThat(receivedEvents(EventBody.Send.class)).isEmpty();
    carry();
    only(receivedEvents(EventBody.Send.class));
  }

  @Test
  void response_isReceivedAboveTheEffect() throws Exception {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }

  @Test
  void request_atAnUntrustedFilter_isNotReceived() throws Exception {
    traced.send(request("/edge").build(), BodyHandlers.discarding());
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
    assertThat(receiver.statistics().untrusted()).isEqualTo(1);
  }
}
