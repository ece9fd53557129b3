// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.document.Documents;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ClockReplay;
import io.retroscope.recordings.replay.MergedReadings;
import io.retroscope.recordings.replay.MessageSurvey;
import io.retroscope.recordings.replay.Messages;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Services generated from a seed, whose clocks are wrong by up to 200 ms and drift by up to 50 ppm,
 * and the spans of their requests: calls, messages that nobody waits for, retries, calls that the
 * client gave up, and spans that were not sampled or have no end.
 */
public final class SimulatedServices {
  /** The begin of simulations, by an exact clock. */
  public static final long START_MICROS = 1_795_200_000_000_000L;

  private static final long SKEW_MICROS = 200_000;
  private static final double DRIFT_PPM = 50;

  private final Random random;
  private final int count;
  private final double[] skews;
  private final double[] drifts;
  private final List<SimulatedSpan> spans = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private final Map<String, Double> trueTimes = new HashMap<>();
  private int ids;

  /** A span, whose times are those of its node's clock. */
  private record SimulatedSpan(
      int node,
      String name,
      String kind,
      String trace,
      String id,
      String parent,
      long start,
      long end,
      boolean isError) {
    boolean isEnded() {
      return end != 0;
    }
  }

  /** A message between services, with readings of both clocks. */
  private record Message(String id, int from, long sent, int to, long received) {}

  /**
   * Some services.
   *
   * @param traces the number of their traces, which take a quarter of a second each
   */
  public SimulatedServices(long seed, int traces) {
    random = new Random(seed * 0x9E3779B97F4A7C15L + 17);
    count = 2 + random.nextInt(4);
    skews = new double[count];
    drifts = new double[count];
    for (int i = 0; i < count; i++) {
      skews[i] = (2 * random.nextDouble() - 1) * SKEW_MICROS;
      drifts[i] = (2 * random.nextDouble() - 1) * DRIFT_PPM / 1e6;
    }
    for (int i = 0; i < traces; i++) {
      double at = 250_000.0 * i + random.nextInt(200_000);
      int node = random.nextInt(count);
      String trace = "%032x".formatted(i + 1);
      String root = id();
      double end = work(node, trace, root, at + 50 + random.nextInt(500), 0);
      span(node, "job", "INTERNAL", trace, root, "", at, end, false);
    }
  }

  private String id() {
    return "%016x".formatted(++ids);
  }

  private double delay() {
    return 300 - 2_000 * Math.log(1 - random.nextDouble());
  }

  private int another(int node) {
    return (node + 1 + random.nextInt(count - 1)) % count;
  }

  /** The work of a span from a time on, with calls to other services; returns its end. */
  private double work(int node, String trace, String parent, double from, int depth) {
    double at = from;
    int calls = depth < 3 ? random.nextInt(3) : 0;
    for (int i = 0; i < calls; i++) {
      at += random.nextInt(1_000);
      at =
          switch (random.nextInt(8)) {
            case 0 -> publish(node, trace, parent, at, depth);
            case 1 -> retry(node, trace, parent, at, depth);
            case 2 -> giveUp(node, trace, parent, at, depth);
            case 3 -> dropped(node, trace, parent, at, depth);
            default -> call(node, trace, parent, at, depth);
          };
    }
    return at + 10 + random.nextInt(3_000);
  }

  /** A call whose client waits for the response. */
  private double call(int node, String trace, String parent, double at, int depth) {
    int to = another(node);
    String client = id();
    double received = at + delay();
    double done = server(to, trace, client, received, depth);
    double end = done + delay();
    message(client + ">", node, at, to, received);
    message(client + "<", to, done, node, end);
    span(node, "call", "CLIENT", trace, client, parent, at, end, false);
    return end;
  }

  private double server(int to, String trace, String client, double received, int depth) {
    String server = id();
    double done = work(to, trace, server, received, depth + 1);
    span(to, "serve", "SERVER", trace, server, client, received, done, false);
    return done;
  }

  /** A message that nobody waits for: the producer's span is short. */
  private double publish(int node, String trace, String parent, double at, int depth) {
    int to = another(node);
    String producer = id();
    double received = at + 20 * delay();
    String consumer = id();
    double done = work(to, trace, consumer, received, depth + 1);
    message(producer + ">", node, at, to, received);
    span(node, "publish", "PRODUCER", trace, producer, parent, at, at + 100, false);
    span(to, "consume", "CONSUMER", trace, consumer, producer, received, done, false);
    return at + 100;
  }

  /** A call of which the first attempt is slow and reaches its server twice. */
  private double retry(int node, String trace, String parent, double at, int depth) {
    String client = id();
    int first = another(node);
    server(first, trace, client, at + 30 * delay(), depth);
    double end = server(another(node), trace, client, at + 5_000 + delay(), depth) + delay();
    span(node, "call", "CLIENT", trace, client, parent, at, end, false);
    return Math.max(end, at);
  }

  /** A call that fails at its client, or that the client does not wait for. */
  private double giveUp(int node, String trace, String parent, double at, int depth) {
    String client = id();
    double received = at + delay();
    double done = server(another(node), trace, client, received, depth);
    boolean isError = random.nextBoolean();
    double end = isError ? at + 1 + (done - at) * 0.9 : at + (done - received) * 0.8;
    span(node, "call", "CLIENT", trace, client, parent, at, end, isError);
    return end;
  }

  /** A call with a span that was not sampled, or that has no end. */
  private double dropped(int node, String trace, String parent, double at, int depth) {
    String client = id();
    double received = at + delay();
    double done =
        server(another(node), trace, random.nextBoolean() ? client : id(), received, depth);
    double end = done + delay();
    if (random.nextBoolean()) {
      long start = reading(node, at);
      note(node, start, at);
      spans.add(new SimulatedSpan(node, "call", "CLIENT", trace, client, parent, start, 0, false));
    }
    return end;
  }

  private void span(
      int node,
      String name,
      String kind,
      String trace,
      String id,
      String parent,
      double start,
      double end,
      boolean isError) {
    long from = reading(node, start);
    long to = reading(node, end);
    note(node, from, start);
    note(node, to, end);
    spans.add(new SimulatedSpan(node, name, kind, trace, id, parent, from, to, isError));
  }

  private void message(String id, int from, double sent, int to, double received) {
    messages.add(new Message(id, from, reading(from, sent), to, reading(to, received)));
  }

  private void note(int node, long reading, double at) {
    trueTimes.putIfAbsent(node(node) + " " + reading, at);
  }

  private static String node(int node) {
    return "s" + node;
  }

  /** What a clock shows, in microseconds since 1970. */
  private long reading(int node, double trueMicros) {
    return START_MICROS + (long) Math.floor(clock(node, trueMicros));
  }

  private double clock(int node, double trueMicros) {
    return trueMicros * (1 + drifts[node]) + skews[node];
  }

  /** How far a node's clock is behind another's, at the true time of a reading of the node. */
  double offsetMicros(String reference, String node, long reading) {
    Double at = trueTimes.get(node + " " + reading);
    if (at == null) {
      throw new AssertionError("no event of " + node + " at " + reading);
    }
    return clock(index(reference), at) - clock(index(node), at);
  }

  private static int index(String node) {
    return Integer.parseInt(node.substring(1));
  }

  /** The trace as a document. */
  public String text(DocumentFormat format) {
    return switch (format) {
      case OTLP -> otlp(false);
      case JAEGER -> jaeger();
      case ZIPKIN -> zipkin();
      default -> throw new IllegalArgumentException(format + " has no spans");
    };
  }

  /** The trace in the OpenTelemetry protocol, in one line per service if wanted. */
  public String otlp(boolean isLines) {
    List<String> resources = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      int of = node;
      String texts =
          spans.stream()
              .filter(span -> span.node == of)
              .map(SimulatedServices::otlp)
              .collect(Collectors.joining(","));
      resources.add(
          "{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"%s\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"lib\"},\"spans\":[%s]}]}"
              .formatted(node(node), texts));
    }
    return isLines
        ? resources.stream()
            .map(resource -> "{\"resourceSpans\":[" + resource + "]}\n")
            .collect(Collectors.joining())
        : "{\"resourceSpans\":[" + String.join(",\n", resources) + "]}";
  }

  private static String otlp(SimulatedSpan span) {
    return "{\"traceId\":\"%s\",\"spanId\":\"%s\",\"parentSpanId\":\"%s\",\"name\":\"%s\",\"kind\":\"SPAN_KIND_%s\",\"startTimeUnixNano\":\"%d000\"%s,\"attributes\":[{\"key\":\"n\",\"value\":{\"intValue\":\"7\"}}]%s}"
        .formatted(
            span.trace,
            span.id,
            span.parent,
            span.name,
            span.kind,
            span.start,
            span.isEnded() ? ",\"endTimeUnixNano\":\"" + span.end + "000\"" : "",
            span.isError ? ",\"status\":{\"code\":2,\"message\":\"late\"}" : "");
  }

  private String jaeger() {
    Map<String, List<SimulatedSpan>> traces = new LinkedHashMap<>();
    spans.forEach(span -> traces.computeIfAbsent(span.trace, key -> new ArrayList<>()).add(span));
    List<String> texts = new ArrayList<>();
    traces.forEach(
        (trace, all) ->
            texts.add(
                "{\"traceID\":\"%s\",\"spans\":[%s],\"processes\":{%s}}"
                    .formatted(
                        trace.replaceFirst("^0+", ""),
                        all.stream()
                            .map(SimulatedServices::jaeger)
                            .collect(Collectors.joining(",")),
                        all.stream()
                            .map(
                                span ->
                                    "\"p%d\":{\"serviceName\":\"%s\",\"tags\":[]}"
                                        .formatted(span.node, node(span.node)))
                            .distinct()
                            .collect(Collectors.joining(",")))));
    return "{\"data\":[" + String.join(",\n", texts) + "],\"total\":0,\"errors\":null}";
  }

  private static String jaeger(SimulatedSpan span) {
    String reference =
        span.parent.isEmpty()
            ? ""
            : "{\"refType\":\"CHILD_OF\",\"traceID\":\"%s\",\"spanID\":\"%s\"}"
                .formatted(span.trace, span.parent);
    String failure =
        span.isError
            ? ",{\"key\":\"error\",\"type\":\"bool\",\"value\":true},{\"key\":\"otel.status_description\",\"value\":\"late\"}"
            : "";
    return "{\"traceID\":\"%s\",\"spanID\":\"%s\",\"operationName\":\"%s\",\"references\":[%s],\"startTime\":%d%s,\"tags\":[{\"key\":\"span.kind\",\"type\":\"string\",\"value\":\"%s\"},{\"key\":\"otel.scope.name\",\"type\":\"string\",\"value\":\"lib\"},{\"key\":\"n\",\"type\":\"int64\",\"value\":7}%s],\"logs\":[],\"processID\":\"p%d\"}"
        .formatted(
            span.trace,
            span.id,
            span.name,
            reference,
            span.start,
            span.isEnded() ? ",\"duration\":" + (span.end - span.start) : "",
            span.kind.toLowerCase(java.util.Locale.ROOT),
            failure,
            span.node);
  }

  private String zipkin() {
    return spans.stream()
        .map(SimulatedServices::zipkin)
        .collect(Collectors.joining(",\n", "[", "]"));
  }

  private static String zipkin(SimulatedSpan span) {
    return "{\"traceId\":\"%s\",\"id\":\"%s\"%s,\"name\":\"%s\"%s,\"timestamp\":%d%s,\"localEndpoint\":{\"serviceName\":\"%s\",\"ipv4\":\"10.0.0.%d\"},\"tags\":{\"n\":\"7\",\"otel.scope.name\":\"lib\"%s}}"
        .formatted(
            span.trace,
            span.id,
            span.parent.isEmpty() ? "" : ",\"parentId\":\"" + span.parent + "\"",
            span.name,
            span.kind.equals("INTERNAL") ? "" : ",\"kind\":\"" + span.kind + "\"",
            span.start,
            span.isEnded() ? ",\"duration\":" + (span.end - span.start) : "",
            node(span.node),
            span.node,
            span.isError ? ",\"error\":\"late\",\"otel.status_code\":\"ERROR\"" : "");
  }

  /** All events of documents, and the sentences about them. */
  public static final class Events implements EventConsumer {
    private final List<Event> all = new ArrayList<>();
    private final List<Incompleteness> reasons = new ArrayList<>();

    /** The events in the order of the replay. */
    public List<Event> all() {
      return all;
    }

    /** The sentences about them. */
    public List<String> sentences() {
      return reasons.stream().map(Incompleteness::sentence).toList();
    }

    @Override
    public void event(Event event) {
      all.add(event);
    }

    @Override
    public void gap(Gap gap) {
      throw new AssertionError(gap);
    }

    @Override
    public void incomplete(Incompleteness reason) {
      reasons.add(reason);
    }
  }

  /** Reads a document as a file is read. */
  public static Events read(DocumentFormat format, String text) throws IOException {
    Documents documents = new Documents("app");
    documents.add(
        format.option(), format, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return replayed(documents);
  }

  /** The messages as recorders would have recorded them, without spans. */
  public Events recorded() throws IOException {
    List<ClockReading> readings = new ArrayList<>();
    for (Message message : messages) {
      EventBody send = new EventBody.Send(node(message.to), message.id);
      EventBody receive = new EventBody.Receive(node(message.from), message.id);
      readings.add(new ClockReading(node(message.from), "net", message.sent, "", 0, List.of(send)));
      readings.add(
          new ClockReading(node(message.to), "net", message.received, "", 0, List.of(receive)));
    }
    readings.sort(java.util.Comparator.comparingLong(ClockReading::micros));
    return replayed(
        new MergedReadings.Opening() {
          @Override
          public long firstMicros() {
            return 0;
          }

          @Override
          public ReadingSource open() {
            return new Listed(readings);
          }
        });
  }

  /** Readings in memory. */
  private static final class Listed implements ReadingSource {
    private final List<ClockReading> all;
    private int next;

    Listed(List<ClockReading> all) {
      this.all = all;
    }

    @Override
    public @Nullable ClockReading next() {
      return next < all.size() ? all.get(next++) : null;
    }

    @Override
    public List<Incompleteness> reasons() {
      return List.of();
    }

    @Override
    public void close() {
      // They are in memory.
    }
  }

  private static Events replayed(MergedReadings.Opening opening) throws IOException {
    MessageSurvey survey = new MessageSurvey();
    try (MergedReadings all = new MergedReadings(List.of(opening))) {
      for (ClockReading next = all.next(); next != null; next = all.next()) {
        survey.add(next);
      }
    }
    Messages found = survey.solve();
    Events events = new Events();
    ClockReplay replay = new ClockReplay(found, events);
    try (MergedReadings all = new MergedReadings(List.of(opening))) {
      for (ClockReading next = all.next(); next != null; next = all.next()) {
        replay.add(next);
      }
      for (Incompleteness reason : all.reasons()) {
        events.incomplete(reason);
      }
    }
    replay.finish();
    return events;
  }
}
