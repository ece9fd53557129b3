// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.http;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.context.HlcContext;
import io.retroscope.instrumentation.http.HlcFilter;
import io.retroscope.instrumentation.http.HlcHttpClient;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.FileSink;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.jspecify.annotations.Nullable;

/**
 * A measurement of the time that {@code HlcFilter} and {@code HlcHttpClient} add to a request,
 * beside the same service without them. Not a JMH benchmark, because the variants alternate, in
 * random order and every few milliseconds, so that a change of the machine's speed affects all of
 * them. Each turn is several requests, as in a service, whose next request finds the caches warm.
 *
 * <p>The difference between "filter and client" and "neither" has parts that have a variant of
 * their own: the noise of the measurement ("neither again"), two headers that differ in each
 * request and that the client and the servlet set without a recorder ("two headers"), the
 * container's cost of any filter ("with an empty filter"), and the filter and the client with
 * recorders that record no messages ("carry only").
 *
 * <p>One thread sends requests over the loopback interface. The service and its client are two
 * nodes with a recorder each, which write into files: a request in the variant with both is four
 * events.
 */
public final class HttpOverhead {
  /** A number of requests for which the JIT compiler has compiled all that they need. */
  private static final int WARM_UP = 40_000;

  private static final int TURN = 20;
  private static final long SEED = 1;

  /** A servlet that sends a short answer. */
  private static final class Hello extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      if (request.getContextPath().startsWith("/headers")) {
        response.setHeader(HlcContext.HEADER, stamp());
      }
      response.setContentType("text/plain");
      response.getOutputStream().print("hello");
    }
  }

  /** One request and its response. */
  private interface Exchange {
    HttpResponse<String> run() throws IOException, InterruptedException;
  }

  @SuppressWarnings("ArrayRecordComponent") // filled in; never compared
  private record Variant(String name, Exchange exchange, long[] nanos) {}

  /** The recorders of the service and of its client. */
  private record Nodes(Recorder service, Recorder caller) implements AutoCloseable {
    static Nodes in(Path directory, double messages) {
      return new Nodes(
          recorder("service", directory, messages), recorder("caller", directory, messages));
    }

    private static Recorder recorder(String node, Path directory, double messages) {
      Path file = directory.resolve(node + messages);
      return Recorder.builder()
          .node(node)
          .messages(messages)
          .sink(new FileSink(file, 64L << 20, 2, false))
          .build();
    }

    @Override
    public void close() {
      service.close();
      caller.close();
    }
  }

  private HttpOverhead() {}

  /** Runs the measurement. The argument is the number of requests of each variant. */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "requests of each variant");
    int count = given.number(0, 40_000);
    try (ScratchFolder scratch = ScratchFolder.create("http");
        Nodes recording = Nodes.in(scratch.path(), 1);
        Nodes carrying = Nodes.in(scratch.path(), 0)) {
      Server server = server(recording, carrying);
      try {
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        measure(variants(port, recording, carrying, count));
      } finally {
        server.stop();
      }
    }
  }

  /** A stamp of now, which no clock has given out. */
  private static String stamp() {
    return HlcTimestamp.text(HlcTimestamp.pack(PhysicalClock.system().micros()));
  }

  private static Server server(Nodes recording, Nodes carrying) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    server.setHandler(
        new ContextHandlerCollection(
            context("/plain", null),
            context("/headers", null),
            context(
                "/headers-filter", (request, response, chain) -> chain.doFilter(request, response)),
            context("/traced", new HlcFilter(recording.service)),
            context("/carried", new HlcFilter(carrying.service))));
    server.start();
    return server;
  }

  private static ServletContextHandler context(String path, @Nullable Filter filter) {
    ServletContextHandler context = new ServletContextHandler(path);
    context.addServlet(new ServletHolder(new Hello()), "/*");
    if (filter != null) {
      context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
    }
    context.setErrorHandler(new ErrorPageErrorHandler());
    return context;
  }

  private static List<Variant> variants(int port, Nodes recording, Nodes carrying, int count) {
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpClient traced = HlcHttpClient.over(plain, recording.caller);
    HttpClient carried = HlcHttpClient.over(plain, carrying.caller);
    HttpRequest toPlain = request(port, "/plain/");
    HttpRequest toHeaders = request(port, "/headers/");
    HttpRequest toFilter = request(port, "/headers-filter/");
    HttpRequest toTraced = request(port, "/traced/");
    HttpRequest toCarried = request(port, "/carried/");
    return List.of(
        new Variant("neither", () -> send(plain, toPlain), new long[count]),
        new Variant("neither again", () -> send(plain, toPlain), new long[count]),
        new Variant("two headers", () -> send(plain, withStamp(toHeaders)), new long[count]),
        new Variant("with empty filter", () -> send(plain, withStamp(toFilter)), new long[count]),
        new Variant("filter", () -> send(plain, toTraced), new long[count]),
        new Variant("client", () -> send(traced, toPlain), new long[count]),
        new Variant("both, carry only", () -> send(carried, toCarried), new long[count]),
        new Variant("filter and client", () -> send(traced, toTraced), new long[count]));
  }

  private static HttpRequest withStamp(HttpRequest request) {
    return HttpRequest.newBuilder(request, (header, value) -> true)
        .header(HlcContext.HEADER, stamp())
        .build();
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
  }

  private static void measure(List<Variant> variants) throws IOException, InterruptedException {
    int count = variants.get(0).nanos().length;
    Random random = new Random(SEED);
    List<Variant> order = new ArrayList<>(variants);
    for (int first = -WARM_UP; first < count; first += TURN) {
      // A request also pays for what the one before it left to do.
      Collections.shuffle(order, random);
      for (Variant variant : order) {
        for (int i = first; i < first + TURN; i++) {
          variant.nanos()[Math.floorMod(i, count)] = time(variant);
        }
      }
    }
    print(variants);
  }

  private static long time(Variant variant) throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<String> response = variant.exchange().run();
    long nanos = System.nanoTime() - start;
    if (!response.body().equals("hello")) {
      throw new IllegalStateException("an unexpected response: " + response);
    }
    return nanos;
  }

  private static void print(List<Variant> variants) {
    long[] base = variants.get(0).nanos();
    for (Variant variant : variants) {
      System.out.printf(
          Locale.ROOT,
          "%-18s median %6.1f us, p99 %6.1f us",
          variant.name(),
          quantile(variant.nanos(), 0.5),
          quantile(variant.nanos(), 0.99));
      if (variant.nanos() != base) {
        List<Double> added = added(base, variant.nanos());
        System.out.printf(
            Locale.ROOT,
            "; adds %.1f us at the median (%.1f to %.1f in ten parts of the run)",
            quantile(variant.nanos(), 0.5) - quantile(base, 0.5),
            added.get(0),
            added.get(added.size() - 1));
      }
      System.out.println();
    }
  }

  /** The differences of the medians in ten parts of the run, ascending. */
  private static List<Double> added(long[] base, long[] other) {
    List<Double> added = new ArrayList<>();
    int size = Math.max(1, base.length / 10);
    for (int from = 0; from + size <= base.length; from += size) {
      added.add(
          quantile(Arrays.copyOfRange(other, from, from + size), 0.5)
              - quantile(Arrays.copyOfRange(base, from, from + size), 0.5));
    }
    added.sort(null);
    return added;
  }

  /** A quantile, in microseconds. */
  private static double quantile(long[] nanos, double share) {
    long[] sorted = nanos.clone();
    Arrays.sort(sorted);
    return sorted[(int) ((sorted.length - 1) * share)] / 1e3;
  }
}
