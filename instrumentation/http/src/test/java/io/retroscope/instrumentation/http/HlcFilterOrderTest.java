// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.context.HlcContext;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.ServletContainer.Mapped;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
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
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that a response's stamp is above the change that it reports, for every way in which a
 * servlet responds: in two real containers, with the filter mapped to new requests only and to
 * every dispatch.
 */
class HlcFilterOrderTest {
  private static final EnumSet<DispatcherType> REQUESTS = EnumSet.of(DispatcherType.REQUEST);
  private static final EnumSet<DispatcherType> EVERYTHING = EnumSet.allOf(DispatcherType.class);

  @TempDir static Path folder;
  private static final MemorySink SINK = new MemorySink();
  private static final Recorder RECORDER = Recorder.builder().node("server").sink(SINK).build();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static Container[] containers = {};

  /**
   * A running container, named after the mapping of its filter. A filter that is mapped to requests
   * only does not see that a later dispatch ends without a body.
   */
  private record Container(String name, AnsweringServlet servlet, ServletContainer running) {
    boolean mapped() {
      return name.endsWith("everything");
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    AnsweringServlet[] servlets =
        Stream.generate(() -> new AnsweringServlet(RECORDER.log("counter")))
            .limit(4)
            .toArray(AnsweringServlet[]::new);
    Path second = folder.resolve("second");
    containers =
        new Container[] {
          new Container(
              "Tomcat, requests",
              servlets[0],
              ServletContainer.tomcat(folder, servlets[0], filters(servlets[0], REQUESTS))),
          new Container(
              "Tomcat, everything",
              servlets[1],
              ServletContainer.tomcat(second, servlets[1], filters(servlets[1], EVERYTHING))),
          new Container(
              "Jetty, requests",
              servlets[2],
              ServletContainer.jetty(servlets[2], filters(servlets[2], REQUESTS))),
          new Container(
              "Jetty, everything",
              servlets[3],
              ServletContainer.jetty(servlets[3], filters(servlets[3], EVERYTHING))),
        };
  }

  /** The outer filter opens the gate when the request's own dispatch has ended. */
  private static List<Mapped> filters(AnsweringServlet servlet, EnumSet<DispatcherType> all) {
    HttpFilter gate =
        new HttpFilter() {
          private static final long serialVersionUID = 1;

          @Override
          protected void doFilter(
              HttpServletRequest request, HttpServletResponse response, FilterChain chain)
              throws IOException, ServletException {
            try {
              chain.doFilter(request, response);
            } finally {
              servlet.open(request);
            }
          }
        };
    return List.of(
        new Mapped("gate", gate, REQUESTS), new Mapped("hlc", new HlcFilter(RECORDER), all));
  }

  @AfterAll
  static void stop() throws Exception {
    for (Container container : containers) {
      container.running().stop();
    }
    RECORDER.close();
  }

  static Stream<Arguments> answers() {
    return Stream.of(containers)
        .flatMap(
            container ->
                container
                    .servlet()
                    .paths()
                    .filter(path -> container.mapped() || !path.equals("/async-dispatch-empty"))
                    .map(path -> Arguments.of(container, path)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("answers")
  void response_reportsAChange_isStampedAboveIt(Container container, String path) throws Exception {
    HttpResponse<String> response = get(container, "GET", path);

    assertThat(response.headers().allValues("x-hlc")).hasSize(1);
    assertThat(stampOf(response)).isGreaterThan(lastChange());
    assertThat(response.body()).contains(container.servlet().expectedBody(path));
    assertThat(container.servlet().failures()).isEmpty();
  }

  static Stream<Container> containers() {
    return Stream.of(containers);
  }

  @ParameterizedTest
  @MethodSource("containers")
  void response_severalWrites_isStampedAtTheFirst(Container container) throws Exception {
    HttpResponse<String> response = get(container, "GET", "/server-sent-events");

    List<Event> changes = changes();
    Event first = changes.get(changes.size() - 2);
    Event second = changes.get(changes.size() - 1);
    assertThat(stampOf(response)).isBetween(first.hlc() + 1, second.hlc() - 1);
    assertThat(response.body()).isEqualTo("data: 1\n\ndata: 2\n\n");
  }

  @ParameterizedTest
  @MethodSource("containers")
  void response_toHead_isStampedAboveItsChange(Container container) throws Exception {
    HttpResponse<String> response = get(container, "HEAD", "/writer");

    assertThat(stampOf(response)).isGreaterThan(lastChange());
  }

  @ParameterizedTest
  @MethodSource("containers")
  void servletThrows_clientGetsTheContainersAnswer(Container container) throws Exception {
    HttpResponse<String> response = get(container, "GET", "/throws");

    assertThat(response.statusCode()).isEqualTo(500);
    response
        .headers()
        .firstValue("x-hlc")
        .ifPresent(stamp -> assertThat(stampOf(response)).isGreaterThan(lastChange()));
  }

  private static HttpResponse<String> get(Container container, String method, String path)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + container.running().port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(Duration.ofSeconds(20))
            .build();
    return CLIENT.send(request, BodyHandlers.ofString());
  }

  private static long stampOf(HttpResponse<?> response) {
    return HlcContext.parse(response.headers().firstValue("x-hlc").orElseThrow()).orElseThrow();
  }

  private static long lastChange() {
    List<Event> changes = changes();
    return changes.get(changes.size() - 1).hlc();
  }

  private static List<Event> changes() {
    assertThat(RECORDER.flush(Duration.ofSeconds(10))).isTrue();
    return SINK.events().stream()
        .filter(event -> event.body() instanceof EventBody.StateChange)
        .toList();
  }
}
