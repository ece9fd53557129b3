// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
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
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a real servlet container on a loopback port. */
class HlcHttpTest extends CarrierContract {
  @TempDir Path folder;

  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient traced = HlcHttpClient.over(plain, sender);
  private Tomcat tomcat;

  @BeforeEach
  void start() throws Exception {
    tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.getConnector().setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", folder.toString());
    Wrapper counter = Tomcat.addServlet(context, "counter", new CounterServlet());
    counter.setAsyncSupported(true);
    counter.addMapping("/*");
    FilterDef filter = new FilterDef();
    filter.setFilterName("hlc");
    filter.setFilter(new HlcFilter(receiver));
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
  }

  @Override
  protected void carry() throws Exception {
    assertThat(traced.send(request("/ok"), BodyHandlers.ofString()).body()).isEqualTo("counted");
  }

  @Override
  protected void carryUntraced() throws Exception {
    assertThat(plain.send(request("/ok"), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    HttpRequest lying =
        HttpRequest.newBuilder(request("/ok"), (n, v) -> true).header("x-hlc", stamp).build();
    assertThat(plain.send(lying, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
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
  void request_response_isReceivedAboveTheEffect() throws Exception {
    HttpResponse<String> response = traced.send(request("/ok"), BodyHandlers.ofString());

    long after = sender.tick();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(stampOf(response)).isStrictlyBetween(effect, after);
  }

  @Test
  void sendAsync_response_isObservedBeforeItCompletes() throws Exception {
    HttpResponse<String> response = traced.sendAsync(request("/ok"), BodyHandlers.ofString()).get();

    assertThat(sender.tick()).isGreaterThan(stampOf(response));
    only(sentEvents(EventBody.Receive.class));
  }

  @Test
  void request_errorRedirectAndEmptyAnswer_carryStamps() throws Exception {
    for (String path : List.of("/error", "/redirect", "/empty")) {
      HttpResponse<Void> response = plain.send(request(path), BodyHandlers.discarding());
      assertThat(response.headers().allValues("x-hlc")).as(path).hasSize(1);
    }
  }

  @Test
  void request_fromTheFarFuture_isServedAndMarked() throws Exception {
    HttpRequest.Builder future = HttpRequest.newBuilder(request("/ok"), (n, v) -> true);
    HlcContext.inject(
        HlcTimestamp.pack(HlcTimestamp.MAX_MICROS), future, HttpRequest.Builder::setHeader);

    HttpResponse<String> response = plain.send(future.build(), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(only(receivedEvents(EventBody.Receive.class)).marks()).isNotEmpty();
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
          arrived();
          response.getWriter().print("counted");
        }
      }
    }
  }
}
