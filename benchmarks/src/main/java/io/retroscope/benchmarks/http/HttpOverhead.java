package io.retroscope.benchmarks.http;

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
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
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
 * beside the same service without them. Not a JMH benchmark, because consecutive requests alternate
 * between the variants, so that a change of the machine's speed affects all of them.
 *
 * <p>One thread sends requests over the loopback interface. The service and its client are two
 * nodes with a recorder each, which write into files: a request in the variant with both is four
 * events.
 */
public final class HttpOverhead {
  /** A servlet that sends a short answer. */
  private static final class Hello extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setContentType("text/plain");
      response.getOutputStream().print("hello");
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // filled in; never compared
  private record Variant(String name, HttpClient client, HttpRequest request, long[] nanos) {}

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
    Handler contexts = new ContextHandlerCollection(context("/plain"), traced);
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
        new Variant("filter", plain, toTraced, new long[count]),
        new Variant("client", traced, toPlain, new long[count]),
        new Variant("filter and client", traced, toTraced, new long[count]));
  }

  private static HttpRequest request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
  }

  private static void measure(List<Variant> variants) throws IOException, InterruptedException {
    int count = variants.get(0).nanos().length;
    // The first pass is for the JIT compiler.
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < count; i++) {
        for (int turn = 0; turn < variants.size(); turn++) {
          // No variant always follows the same other one's garbage.
          Variant variant = variants.get((turn * (1 + i % 2 * 2) + i) % variants.size());
          variant.nanos()[i] = time(variant);
        }
      }
    }
    print(variants);
  }

  private static long time(Variant variant) throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<String> response =
        variant.client().send(variant.request(), HttpResponse.BodyHandlers.ofString());
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
