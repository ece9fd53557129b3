// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.javaxhttp;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.context.HlcContext;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.HlcHttpClient;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumSet;
import javax.servlet.AsyncContext;
import javax.servlet.DispatcherType;
import javax.servlet.Filter;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.ee8.servlet.FilterHolder;
import org.eclipse.jetty.ee8.servlet.ServletContextHandler;
import org.eclipse.jetty.ee8.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The filter of the jar in a container with {@code javax.servlet}. */
class RenamedFilterTest extends CarrierContract {
  private final HttpClient plain = HttpClient.newHttpClient();
  private final HttpClient traced = HlcHttpClient.over(plain, sender);
  private URLClassLoader jar;
  private Server server;

  /** A servlet that answers in the same or, at the path {@code /async}, in another thread. */
  @SuppressWarnings("serial") // never serialized
  private final class Answering extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      arrived();
      if (request.getRequestURI().equals("/async")) {
        AsyncContext context = request.startAsync();
        context.start(context::complete);
      } else {
        response.getWriter().print("hello");
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    URL[] urls = {Path.of(System.getProperty("filter.jar")).toUri().toURL()};
    jar = new URLClassLoader(urls, RenamedFilterTest.class.getClassLoader());
    Class<?> type = jar.loadClass("io.retroscope.instrumentation.javaxhttp.HlcFilter");
    Filter filter = (Filter) type.getConstructor(Recorder.class).newInstance(receiver);
    server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler();
    context.setContextPath("/");
    ServletHolder servlet = new ServletHolder(new Answering());
    servlet.setAsyncSupported(true);
    context.addServlet(servlet, "/*");
    FilterHolder holder = new FilterHolder(filter);
    holder.setAsyncSupported(true);
    context.addFilter(holder, "/*", EnumSet.allOf(DispatcherType.class));
    server.setHandler(context);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    jar.close();
  }

  private HttpResponse<String> get(HttpClient client, String path, String... header)
      throws IOException, InterruptedException {
    int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
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
    get(traced, "/");
  }

  @Override
  protected void carryUntraced() throws Exception {
    get(plain, "/");
  }

  @Override
  protected void carryUnreadable(String stamp) throws Exception {
    get(plain, "/", HlcContext.HEADER, stamp);
  }

  @Test
  void responses_inTheSameAndInAnotherThread_areAboveTheEffect() throws Exception {
    for (String path : new String[] {"/", "/async"}) {
      long stamp =
          HlcContext.extract(
                  get(plain, path).headers(),
                  (headers, name) -> headers.firstValue(name).orElse(""))
              .orElseThrow();
      assertThat(stamp)
          .isGreaterThan(
              receivedEvents(EventBody.StateChange.class).stream()
                  .mapToLong(event -> event.hlc())
                  .max()
                  .orElseThrow());
    }
  }
}
