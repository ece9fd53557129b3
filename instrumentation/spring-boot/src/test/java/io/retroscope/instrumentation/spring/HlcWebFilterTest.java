package io.retroscope.instrumentation.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.context.HlcContext;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.HlcHttpClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ServletHttpHandlerAdapter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;

/** Tests with a WebFlux server on a loopback port. */
class HlcWebFilterTest extends CarrierContract {
  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient traced = HlcHttpClient.over(plain, sender);
  private Server server;

  private Mono<Void> answer(ServerWebExchange exchange) {
    arrived();
    return exchange.getResponse().setComplete();
  }

  @BeforeEach
  void start() throws Exception {
    HttpHandler handler =
        WebHttpHandlerBuilder.webHandler(this::answer).filter(new HlcWebFilter(receiver)).build();
    server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler("/");
    ServletHolder servlet = new ServletHolder(new ServletHttpHandlerAdapter(handler));
    servlet.setAsyncSupported(true);
    context.addServlet(servlet, "/*");
    server.setHandler(context);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  private HttpResponse<String> get(HttpClient client, String... header)
      throws IOException, InterruptedException {
    int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"));
    if (header.length > 0) {
      request.headers(header);
    }
    HttpResponse<String> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response;
  }

  @Override
  protected void carry() throws Exception {
    get(traced);
  }

  @Override
  protected void carryUntraced() throws Exception {
    get(plain);
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    get(plain, HlcContext.HEADER, stamp);
  }

  @Test
  void response_isReceivedAboveTheEffect() throws Exception {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }
}
