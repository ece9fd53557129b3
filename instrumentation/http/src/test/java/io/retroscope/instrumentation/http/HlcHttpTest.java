package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.context.HlcContext;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a real servlet container on a loopback port, whose clock is five seconds slow. */
class HlcHttpTest {
  @TempDir Path folder;

  private final MemorySink clientSink = new MemorySink();
  private final MemorySink serverSink = new MemorySink();
  private final Recorder client = Recorder.builder().node("client").sink(clientSink).build();
  private final Recorder server =
      Recorder.builder()
          .node("server")
          .physicalClock(PhysicalClock.system().skewedBy(-5_000_000))
          .sink(serverSink)
          .build();
  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient traced = HlcHttpClient.over(plain, client);
  private Tomcat tomcat;

  @BeforeEach
  void start() throws Exception {
    tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.getConnector().setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", folder.toString());
    Tomcat.addServlet(context, "counter", new CounterServlet()).setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "counter");
    FilterDef filter = new FilterDef();
    filter.setFilterName("hlc");
    filter.setFilter(new HlcFilter(server));
    context.addFilterDef(filter);
    FilterMap everything = new FilterMap();
    everything.setFilterName("hlc");
    everything.addURLPattern("/*");
    context.addFilterMap(everything);
    tomcat.start();
  }

  @AfterEach
  void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
    client.close();
    server.close();
  }

  @Test
  void request_serverBehind_everyEffectIsAboveItsCause() throws Exception {
    long before = client.tick();

    HttpResponse<String> response = traced.send(request("/ok"), BodyHandlers.ofString());

    long after = client.tick();
    assertThat(response.body()).isEqualTo("counted");
    Event write = only(serverSink, server, EventBody.StateChange.class);
    assertThat(write.hlc()).isStrictlyBetween(before, after);
    Event sent = only(clientSink, client, EventBody.Send.class);
    Event received = only(serverSink, server, EventBody.Receive.class);
    assertThat(((EventBody.Receive) received.body()).id())
        .isEqualTo(((EventBody.Send) sent.body()).id());
    assertThat(stampOf(response)).isGreaterThan(write.hlc());
  }

  @Test
  void sendAsync_response_isObservedBeforeItCompletes() throws Exception {
    HttpResponse<String> response = traced.sendAsync(request("/ok"), BodyHandlers.ofString()).get();

    assertThat(client.tick()).isGreaterThan(stampOf(response));
    only(clientSink, client, EventBody.Receive.class);
  }

  @Test
  void request_errorRedirectAndEmptyAnswer_carryStamps() throws Exception {
    for (String path : List.of("/error", "/redirect", "/empty")) {
      HttpResponse<Void> response = plain.send(request(path), BodyHandlers.discarding());
      assertThat(response.headers().allValues("x-hlc")).as(path).hasSize(1);
    }
  }

  @Test
  void request_withoutOrWithUnreadableStamp_isServed() throws Exception {
    HttpRequest lying =
        HttpRequest.newBuilder(request("/ok"), (n, v) -> true).header("x-hlc", "yesterday").build();

    assertThat(plain.send(lying, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(plain.send(request("/ok"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    assertThat(all(serverSink, server, EventBody.Receive.class)).isEmpty();
  }

  @Test
  void request_fromTheFarFuture_isServedAndMarked() throws Exception {
    HttpRequest.Builder future = HttpRequest.newBuilder(request("/ok"), (n, v) -> true);
    HlcContext.inject(
        HlcTimestamp.pack(HlcTimestamp.MAX_MICROS), future, HttpRequest.Builder::setHeader);

    HttpResponse<String> response = plain.send(future.build(), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(only(serverSink, server, EventBody.Receive.class).marks()).isNotEmpty();
  }

  private HttpRequest request(String path) {
    int port = tomcat.getConnector().getLocalPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(20))
        .build();
  }

  private static long stampOf(HttpResponse<?> response) {
    return HlcContext.parse(response.headers().firstValue("x-hlc").orElseThrow()).orElseThrow();
  }

  private static Event only(MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    List<Event> events = all(sink, recorder, kind);
    assertThat(events).hasSize(1);
    return events.get(0);
  }

  private static List<Event> all(
      MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream().filter(event -> kind.isInstance(event.body())).toList();
  }

  private final class CounterServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      switch (request.getRequestURI()) {
        case "/error" -> response.sendError(503, "closed");
        case "/redirect" -> response.sendRedirect("/ok");
        case "/empty" -> response.setStatus(204);
        default -> {
          server.log("counter").set("count", 1);
          response.getWriter().print("counted");
        }
      }
    }
  }
}
