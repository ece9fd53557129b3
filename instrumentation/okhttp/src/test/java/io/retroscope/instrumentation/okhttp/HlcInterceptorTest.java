package io.retroscope.instrumentation.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.HlcServerFilter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with the JDK's HTTP server on a loopback port. */
class HlcInterceptorTest extends CarrierContract {
  private final OkHttpClient plain = new OkHttpClient();
  private final OkHttpClient traced =
      plain.newBuilder().addNetworkInterceptor(new HlcInterceptor(sender)).build();
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
    plain.connectionPool().evictAll();
    plain.dispatcher().executorService().shutdown();
    server.stop(0);
  }

  private void call(OkHttpClient client, Request.Builder request) throws IOException {
    try (Response response = client.newCall(request.url(uri).build()).execute()) {
      assertThat(response.code()).isEqualTo(200);
    }
  }

  @Override
  protected void carry() throws IOException {
    call(traced, new Request.Builder());
  }

  @Override
  protected void carryUntraced() throws IOException {
    call(plain, new Request.Builder());
  }

  @Override
  protected void carryUnreadable(String stamp) throws IOException {
    call(plain, new Request.Builder().header("x-hlc", stamp));
  }

  @Test
  void response_ofATracedServer_isReceivedAboveTheEffect() throws IOException {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }
}
