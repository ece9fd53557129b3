// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Value;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.MergedReadings;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.recordings.textlog.TextType;
import io.retroscope.rql.cut.Incompleteness;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The contents of all documents of a set, in memory, because spans of several files belong
 * together. All documents are added before the readings are opened. Used by one thread.
 */
public final class Documents implements MergedReadings.Opening {
  /** The fields that are texts in every format. */
  private static final Set<String> UNTYPED = Set.of("scope", "status");

  private final String log;
  private final SizeLimit limit = SizeLimit.ofProcess();

  /** In their order, each once, although several documents may contain it. */
  private final Set<Span> spans = new LinkedHashSet<>();

  private final List<ZipkinSpan> zipkin = new ArrayList<>();
  private final List<ClockReading> readings = new ArrayList<>();
  private final List<Incompleteness> reasons = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private @Nullable SpanTimeline timeline;

  /** A span whose attributes are texts, with the address of its node. */
  private record ZipkinSpan(Span span, String address) {}

  /**
   * No documents.
   *
   * @param log of the records of logs
   */
  public Documents(String log) {
    this.log = log;
  }

  /**
   * Adds a document.
   *
   * @param name of its file, for messages
   * @throws DocumentException if it is damaged
   */
  public void add(String name, DocumentFormat format, InputStream in) {
    names.add(name);
    Refusals refusals = new Refusals(name);
    try {
      switch (format) {
        case OTLP -> new OtlpJson(refusals, limit).read(in);
        case JAEGER -> new JaegerJson(refusals, limit).read(new JsonCursor(in));
        case ZIPKIN -> new ZipkinJson(refusals, limit).read(new JsonCursor(in));
        case JEPSEN -> new JepsenHistory(name, readings::add, limit).read(in);
        case PROMETHEUS -> new PrometheusRange(name, readings::add, limit).read(in);
      }
    } catch (DocumentException e) {
      if (!e.isCutOff()) {
        throw e;
      }
      reasons.add(
          new Incompleteness.CutOff(
              "%s:%s; what comes before is used".formatted(name, e.reason())));
    }
    refusals.finish();
    timeline = null;
  }

  /** The records of one document; those that cannot be events are left out, and named. */
  private final class Refusals implements OtlpJson.Sink, ZipkinJson.Sink {
    private final String name;
    private long count;
    private String first = "";

    Refusals(String name) {
      this.name = name;
    }

    @Override
    public void span(long number, Span span) {
      checked(number, () -> add(span));
    }

    private void add(Span span) {
      span.check();
      spans.add(span);
    }

    @Override
    public void span(long number, Span span, String address) {
      checked(
          number,
          () -> {
            span.check();
            zipkin.add(new ZipkinSpan(span, address));
          });
    }

    @Override
    public void log(long number, LogRecord record) {
      checked(number, () -> readings.add(reading(record)));
    }

    private ClockReading reading(LogRecord record) {
      if (record.nanos() <= 0 || record.nanos() > Span.MAX_NANOS) {
        throw new IllegalArgumentException(
            record.nanos() == 0 ? "it has no time" : "its time is before 1970 or after 2112");
      }
      return new ClockReading(
          record.node(), log, record.nanos() / 1_000, name, 0, List.of(record.line()));
    }

    private void checked(long number, Runnable use) {
      try {
        use.run();
      } catch (IllegalArgumentException e) {
        refused(number, String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void refused(long number, String reason) {
      first = count == 0 ? "record %d is left out: %s".formatted(number, reason) : first;
      count++;
    }

    void finish() {
      if (count > 0) {
        reasons.add(
            new Incompleteness.CutOff(
                "%s: %s%s"
                    .formatted(name, first, count == 1 ? "" : " (" + count + " records in all)")));
      }
    }
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return names.isEmpty();
  }

  private SpanTimeline timeline() {
    SpanTimeline found = timeline;
    if (found == null) {
      readings.sort(Comparator.comparingLong(ClockReading::micros));
      addZipkin();
      List<Span> all = List.copyOf(spans);
      found = new SpanTimeline(all, new SpanMessages(all));
      timeline = found;
    }
    return found;
  }

  /** Gives tags their types, and distinguishes the nodes of a service by their addresses. */
  private void addZipkin() {
    Map<String, TextType> types = new HashMap<>();
    Map<String, Set<String>> addresses = new HashMap<>();
    for (ZipkinSpan each : zipkin) {
      addresses.computeIfAbsent(each.span.node(), node -> new HashSet<>(2)).add(each.address);
      each.span
          .attributes()
          .forEach(
              (name, value) -> {
                if (value instanceof Value.StringValue text && !UNTYPED.contains(name)) {
                  types.merge(name, TextType.of(text.value()), TextType::wider);
                }
              });
    }
    for (ZipkinSpan each : zipkin) {
      Set<String> known = addresses.getOrDefault(each.span.node(), Set.of());
      boolean isAlone = known.size() - (known.contains("") ? 1 : 0) < 2 || each.address.isEmpty();
      Span typed = each.span.with(typed(each.span.attributes(), types));
      String node = each.span.node() + (isAlone ? "" : "@" + each.address);
      spans.add(typed.of(node));
    }
    zipkin.clear();
  }

  private static Map<String, Value> typed(Map<String, Value> texts, Map<String, TextType> types) {
    Map<String, Value> typed = new LinkedHashMap<>();
    texts.forEach(
        (name, value) ->
            typed.put(
                name,
                value instanceof Value.StringValue text
                    ? types.getOrDefault(name, TextType.STRING).value(text.value())
                    : value));
    return typed;
  }

  /** No reading precedes this time, at which the source is opened. */
  @Override
  public long firstMicros() {
    return 0;
  }

  /** Opens all readings, in the order of their times. */
  @Override
  public ReadingSource open() {
    SpanTimeline.Walk walk = timeline().walk();
    String name = String.join(", ", names.subList(0, Math.min(3, names.size())));
    Iterator<ClockReading> ofSpans =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return walk.hasNext();
          }

          @Override
          public ClockReading next() {
            SpanTimeline.Moment moment = walk.next();
            return new ClockReading(
                moment.span().node(),
                SpanTimeline.LOG,
                moment.nanos() / 1_000,
                name,
                0,
                walk.bodies());
          }
        };
    return new MergedReadings(List.of(opening(ofSpans, true), opening(readings.iterator(), false)));
  }

  private MergedReadings.Opening opening(Iterator<ClockReading> all, boolean hasReasons) {
    return new MergedReadings.Opening() {
      @Override
      public long firstMicros() {
        return 0;
      }

      @Override
      public ReadingSource open() {
        return new Listed(all, hasReasons);
      }
    };
  }

  /** Readings that are in memory. */
  private final class Listed implements ReadingSource {
    private final Iterator<ClockReading> all;
    private final boolean hasReasons;

    Listed(Iterator<ClockReading> all, boolean hasReasons) {
      this.all = all;
      this.hasReasons = hasReasons;
    }

    @Override
    public @Nullable ClockReading next() {
      return all.hasNext() ? all.next() : null;
    }

    @Override
    public List<Incompleteness> reasons() {
      if (!hasReasons) {
        return List.of();
      }
      List<Incompleteness> all = new ArrayList<>(reasons);
      if (timeline().hasTooManyNames()) {
        all.add(
            new Incompleteness.Remarked(
                "spans have more than %,d names: those of the others are in running, but not counted in inflight"
                    .formatted(SpanTimeline.MAX_NAMES)));
      }
      return all;
    }

    @Override
    public void close() {
      // The readings are in memory.
    }
  }
}
