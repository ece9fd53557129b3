package io.retroscope.instrumentation.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.HlcServerFilter;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.RequestEntity;
import org.springframework.web.client.RestTemplate;

/** Tests of a {@code RestTemplate} bean with the JDK's HTTP server on a loopback port. */
class HlcInterceptorTest extends CarrierContract {
  private final RestTemplate plain = new RestTemplate();
  private final RestTemplate traced = new RestTemplate();
  private HttpServer server;
  private URI uri;

  @BeforeEach
  void start() throws IOException {
    var clients = new StampedRestClients(new HlcRequestInterceptor(sender));
    assertThat(clients.postProcessAfterInitialization(traced, "bean")).isSameAs(traced);
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
    uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Override
  protected void carry() {
    call(traced, RequestEntity.get(uri).build());
  }

  @Override
  protected void carryUntraced() {
    call(plain, RequestEntity.get(uri).build());
  }

  @Override
  protected void carryUnreadable(String stamp) {
    call(plain, RequestEntity.get(uri).header("x-hlc", stamp).build());
  }

  private static void call(RestTemplate client, RequestEntity<Void> request) {
    assertThat(client.exchange(request, String.class).getStatusCode().value()).isEqualTo(200);
  }

  @Test
  void response_isReceivedAboveTheEffect() {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }

  /** A service that is not traced must keep its traffic. */
  @Test
  void health_ofAClosedRecorder_isUnknownNotDown() {
    Recorder recorder = Recorder.builder().node("orders").sink(new MemorySink()).build();
    assertThat(RecorderDetails.of(recorder).status()).isEqualTo("UP");
    recorder.close();
    assertThat(RecorderDetails.of(recorder).status()).isEqualTo("UNKNOWN");
    assertThat(RecorderDetails.of(recorder).details())
        .containsEntry("node", "orders")
        .containsEntry("recorder", "not recording: the recorder is closed");
  }
}
