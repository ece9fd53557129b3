package io.retroscope.benchmarks.http;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.context.HlcContext;
import io.retroscope.instrumentation.http.HlcFilter;
import io.retroscope.instrumentation.http.HlcHttpClient;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.FileSink;
import jakarta.servlet.DispatcherType;
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
import java.nio.file.Files;
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
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;

/**
 * A measurement of the time that {@code HlcFilter} and {@code HlcHttpClient} add to a request,
 * beside the same service without them. Not a JMH benchmark, because the variants alternate, in
 * random order and every few milliseconds, so that a change of the machine's speed affects all of
 * them. Each turn is several requests, as in a service, whose next request finds the caches warm.
 * In the variant "headers only", the service and its client set such headers without a recorder,
 * and the request is built in advance: the difference is the transport's cost of two headers, which
 * the filter and the client cannot avoid.
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
      if (request.getContextPath().equals("/headers")) {
        response.setHeader(HlcContext.HEADER, stamp());
      }
      response.setContentType("text/plain");
      response.getOutputStream().print("hello");
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // filled in; never compared
  private record Variant(String name, HttpClient client, HttpRequest request, long[] nanos) {
    /** The request, with a stamp if the client does not set one. */
    HttpRequest next() {
      return name.equals("headers only")
          ? HttpRequest.newBuilder(request, (header, value) -> true)
              .header(HlcContext.HEADER, stamp())
              .build()
          : request;
    }
  }

  private HttpOverhead() {}

  /** Runs the measurement. The argument is the number of requests of each variant. */
  public static void main(String[] args) throws Exception {
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 40_000;
    Path directory = Files.createTempDirectory("retroscope-http");
    try (Recorder service = recorder("service", directory);
        Recorder caller = recorder("caller", directory)) {
      Server server = server(service);
      try {
        measure(
            variants(((ServerConnector) server.getConnectors()[0]).getLocalPort(), caller, count));
      } finally {
        server.stop();
      }
    } finally {
      delete(directory);
    }
  }

  /** A stamp of now, which no clock has given out. */
  private static String stamp() {
    return HlcTimestamp.text(HlcTimestamp.pack(PhysicalClock.system().micros()));
  }

  private static Recorder recorder(String node, Path directory) {
    return Recorder.builder()
        .node(node)
        .sink(new FileSink(directory.resolve(node), 64L << 20, 2, false))
        .build();
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private static Server server(Recorder recorder) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler traced = context("/traced");
    FilterHolder filter = new FilterHolder(new HlcFilter(recorder));
    traced.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
    Handler contexts = new ContextHandlerCollection(context("/plain"), context("/headers"), traced);
    server.setHandler(contexts);
    server.start();
    return server;
  }

  private static ServletContextHandler context(String path) {
    ServletContextHandler context = new ServletContextHandler(path);
    context.addServlet(new ServletHolder(new Hello()), "/*");
    context.setErrorHandler(new ErrorPageErrorHandler());
    return context;
  }

  private static List<Variant> variants(int port, Recorder caller, int count) {
    HttpClient plain = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpClient traced = HlcHttpClient.over(plain, caller);
    HttpRequest toPlain = request(port, "/plain/");
    HttpRequest toTraced = request(port, "/traced/");
    return List.of(
        new Variant("neither", plain, toPlain, new long[count]),
        new Variant("headers only", plain, request(port, "/headers/"), new long[count]),
        new Variant("filter", plain, toTraced, new long[count]),
        new Variant("client", traced, toPlain, new long[count]),
        new Variant("filter and client", traced, toTraced, new long[count]));
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
    HttpRequest request = variant.next();
    long start = System.nanoTime();
    HttpResponse<String> response =
        variant.client().send(request, HttpResponse.BodyHandlers.ofString());
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
