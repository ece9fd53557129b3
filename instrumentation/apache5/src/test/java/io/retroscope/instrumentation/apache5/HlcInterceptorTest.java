package io.retroscope.instrumentation.apache5;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.HlcServerFilter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with the JDK's HTTP server on a loopback port. */
class HlcInterceptorTest extends CarrierContract {
  private final CloseableHttpClient plain = HttpClients.createDefault();
  private final HlcInterceptor hlc = new HlcInterceptor(sender);
  private final CloseableHttpClient traced =
      HttpClients.custom().addRequestInterceptorLast(hlc).addResponseInterceptorFirst(hlc).build();
  private HttpServer server;
  private String uri;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var context =
        server.createContext(
            "/",
            exchange -> {
              arrived();
              exchange.sendResponseHeaders(200, -1);
              exchange.close();
            });
    context.getFilters().add(new HlcServerFilter(receiver));
    server.start();
    uri = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  @AfterEach
  void stop() throws IOException {
    plain.close();
    traced.close();
    server.stop(0);
  }

  private void call(CloseableHttpClient client, ClassicRequestBuilder request) throws IOException {
    int status = client.execute(request.setUri(uri).build(), ClassicHttpResponse::getCode);
    assertThat(status).isEqualTo(200);
  }

  @Override
  protected void carry() throws IOException {
    call(traced, ClassicRequestBuilder.get());
  }

  @Override
  protected void carryUntraced() throws IOException {
    call(plain, ClassicRequestBuilder.get());
  }

  @Override
  protected void carryUnreadable(String stamp) throws IOException {
    call(plain, ClassicRequestBuilder.get().setHeader("x-hlc", stamp));
  }

  @Test
  void response_ofATracedServer_isReceivedAboveTheEffect() throws IOException {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }
}
