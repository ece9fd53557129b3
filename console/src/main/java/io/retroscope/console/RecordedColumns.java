// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.MomentaryVariables;
import io.retroscope.rql.cut.SentMessages;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.cut.walk.LocalWalk;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import tools.jackson.core.JsonGenerator;

/**
 * The events of a stretch as columns, with the values that each of them leaves, so that the page
 * needs no rules of its own for the state of a cut. Used by one thread, once.
 */
final class RecordedColumns implements LocalWalk.Listener {
  /** The most characters of a value or a log line. */
  static final int MAX_TEXT = 2_000;

  /** The most characters of all texts. */
  static final long MAX_TEXTS = 16_000_000;

  /** The most times at which the offset of a node is noted. */
  private static final int OFFSET_SAMPLES = 24;

  private static final int TIME_SHIFT = 4;

  private final View view;
  private final HlcRange range;
  private final Set<String> logs;
  private final int most;
  private final CutState state = new CutState(Set.of());
  private final Map<String, Integer> nodes = new LinkedHashMap<>();
  private final Map<List<String>, Integer> variables = new LinkedHashMap<>();
  private final Map<String, Integer> strings = new LinkedHashMap<>();
  private final List<long[]> events = new ArrayList<>();
  private final SentMessages<Integer> sends = new SentMessages<>();
  private final List<int[]> messages = new ArrayList<>();
  private final List<int[]> before = new ArrayList<>();
  private final List<Long> payload = new ArrayList<>();
  private int firstOfEvent;
  private long texts;
  private long end;
  private boolean ended;

  /** The columns of all events of services in a range. */
  RecordedColumns(View view, HlcRange range) {
    this(view, range, EventRange.logs(view), Integer.MAX_VALUE);
  }

  /**
   * The columns of the first events of a range.
   *
   * @param most the number of events after which no further stamp begins
   */
  RecordedColumns(View view, HlcRange range, Set<String> logs, int most) {
    this.view = view;
    this.range = range;
    this.logs = logs;
    this.most = most;
    this.end = range.to();
    view.nodes().stream().map(NodeDescription::name).forEach(node -> nodes.put(node, nodes.size()));
  }

  /** Reads the events; returns whether all of them and their texts fit. */
  boolean read() {
    logs.forEach(log -> state.followMatching(log, name -> true, column -> {}));
    LocalWalk walk = new LocalWalk(state, Interest.inAll(logs), this);
    if (range.from() > HlcTimestamp.MIN_PACKED) {
      walk.start(view, range.from());
    }
    for (String log : logs) {
      view.logs().stream()
          .filter(described -> described.name().equals(log))
          .flatMap(described -> described.variables().stream())
          .forEach(name -> beforeAll(state.follow(log, name)));
    }
    walk.walk(view, range);
    return !ended;
  }

  /** The packed stamp up to which the events of the range are in the columns. */
  long end() {
    return end;
  }

  /** The number of events. */
  int count() {
    return events.size();
  }

  private void beforeAll(VariableColumn column) {
    for (int node = 0; node < state.nodes().size(); node++) {
      Value value = column.holdsState() ? column.at(node) : null;
      if (value != null) {
        before.add(new int[] {variable(column), node(state.nodes().name(node)), text(value)});
      }
    }
  }

  private int node(String name) {
    return nodes.computeIfAbsent(name, added -> nodes.size());
  }

  private int variable(VariableColumn column) {
    return variable(column.log(), column.name());
  }

  private int variable(String log, String name) {
    return variables.computeIfAbsent(List.of(log, name), added -> variables.size());
  }

  /** Adds the values that hold at exactly the stamp of an event, as a cut has them. */
  private void momentary(Event event) {
    MomentaryVariables.of(event.body())
        .forEach(
            (name, value) -> {
              if (!state.follow(event.log(), name).holdsState()) {
                payload.add((long) variable(event.log(), name));
                payload.add((long) text(value));
              }
            });
  }

  private int text(Value value) {
    return text(ValueText.of(value));
  }

  private int text(String text) {
    int length = text.codePointCount(0, text.length());
    String shown =
        length <= MAX_TEXT
            ? text
            : text.substring(0, text.offsetByCodePoints(0, MAX_TEXT))
                + "… (%,d characters)".formatted(length);
    Integer known = strings.putIfAbsent(shown, strings.size());
    texts += known == null ? shown.length() : 0;
    return known == null ? strings.size() - 1 : known;
  }

  @Override
  public void earlier(EventBlock block, int row) {}

  @Override
  public boolean before(EventBlock block, int row) {
    Event event = block.event(row);
    int number = events.size();
    boolean isFull = number >= most || texts > MAX_TEXTS;
    if (isFull && event.hlc() > events.get(number - 1)[0]) {
      end = events.get(number - 1)[0];
      ended = true;
      return false;
    }
    firstOfEvent = payload.size();
    long shift = CutTime.of(event, view.clockOffsets()).micros() - HlcTimestamp.micros(event.hlc());
    events.add(
        new long[] {event.hlc(), node(event.node()), Kind.of(event.body()).number, 0, shift});
    if (event.body() instanceof EventBody.LogLine line) {
      payload.add((long) text(line(line)));
    } else if (event.body() instanceof Send send) {
      payload.add((long) text(send.id()));
      payload.add((long) text(send.to().isEmpty() ? "" : "to " + send.to()));
      sends.add(MessageEnd.of(event), number);
    } else if (event.body() instanceof Receive receive) {
      payload.add((long) text(receive.id()));
      payload.add((long) text(receive.from().isEmpty() ? "" : "from " + receive.from()));
      sends.sendOf(MessageEnd.of(event)).ifPresent(send -> messages.add(new int[] {send, number}));
    }
    momentary(event);
    return true;
  }

  private static String line(EventBody.LogLine line) {
    StringBuilder text = new StringBuilder(ValueText.printable(line.message()));
    line.fields()
        .forEach(
            (name, value) ->
                text.append(' ')
                    .append(ValueText.printable(name))
                    .append('=')
                    .append(ValueText.of(value)));
    return text.toString();
  }

  @Override
  public void changed(int node, long hlc) {
    if (ended) {
      return;
    }
    for (VariableColumn column : state.touched()) {
      if (column.holdsState()) {
        Value value = column.at(node);
        payload.add((long) variable(column));
        payload.add(value == null ? -1L : text(value));
      }
    }
  }

  @Override
  public void after(EventBlock block, int row) {
    if (!ended) {
      events.get(events.size() - 1)[3] = (long) payload.size() - firstOfEvent;
    }
  }

  @Override
  public void warning(EventWarning warning) {}

  /** Adds the columns as the member {@code recording}. */
  void write(JsonGenerator out) {
    out.writeObjectPropertyStart("recording");
    PageJson.texts(out, "nodes", nodes.keySet().stream());
    out.writeArrayPropertyStart("variables");
    for (List<String> path : variables.keySet()) {
      out.writeStartObject();
      out.writeStringProperty("log", path.get(0));
      out.writeStringProperty("name", path.get(1));
      out.writeEndObject();
    }
    out.writeEndArray();
    PageJson.texts(out, "strings", strings.keySet().stream());
    stamps(out);
    numbers(out, "n", events.stream().mapToLong(event -> event[1]));
    numbers(out, "k", events.stream().mapToLong(event -> event[2]));
    numbers(out, "c", events.stream().mapToLong(event -> event[3]));
    numbers(out, "x", payload.stream().mapToLong(Long::longValue));
    numbers(out, "m", messages.stream().flatMapToInt(Arrays::stream).asLongStream());
    numbers(out, "before", before.stream().flatMapToInt(Arrays::stream).asLongStream());
    shifts(out);
    offsets(out);
    out.writeEndObject();
  }

  private static void numbers(JsonGenerator out, String name, LongStream numbers) {
    out.writeArrayPropertyStart(name);
    numbers.forEach(out::writeNumber);
    out.writeEndArray();
  }

  /** The first time, each event's time minus that of the event before, and its logical part. */
  private void stamps(JsonGenerator out) {
    long last = events.isEmpty() ? 0 : HlcTimestamp.micros(events.get(0)[0]);
    out.writeNumberProperty("start", last);
    out.writeArrayPropertyStart("t");
    for (long[] event : events) {
      long micros = HlcTimestamp.micros(event[0]);
      out.writeNumber(micros - last);
      last = micros;
    }
    out.writeEndArray();
    numbers(out, "l", events.stream().mapToLong(event -> HlcTimestamp.logical(event[0])));
  }

  /** The aligned times minus the stamps' ones, each minus that of the node's event before. */
  private void shifts(JsonGenerator out) {
    long[] last = new long[nodes.size()];
    out.writeArrayPropertyStart("a");
    boolean isAligned = events.stream().anyMatch(event -> event[TIME_SHIFT] != 0);
    for (long[] event : isAligned ? events : List.<long[]>of()) {
      int node = (int) event[1];
      out.writeNumber(event[TIME_SHIFT] - last[node]);
      last[node] = event[TIME_SHIFT];
    }
    out.writeEndArray();
  }

  /** The bounds of the nodes' offsets at some times of the stretch, and the reference node. */
  private void offsets(JsonGenerator out) {
    ClockOffsets clocks = view.clockOffsets();
    out.writeStringProperty("reference", clocks.referenceNode().orElse(""));
    long from = HlcTimestamp.micros(range.from());
    long step = Math.max(1, (HlcTimestamp.micros(range.to()) - from) / OFFSET_SAMPLES);
    out.writeArrayPropertyStart("offsets");
    for (String node : nodes.keySet()) {
      out.writeStartArray();
      for (int i = 0; i <= OFFSET_SAMPLES; i++) {
        long micros = from + i * step;
        clocks
            .offset(node, HlcTimestamp.pack(micros))
            .ifPresent(offset -> OffsetTrail.offset(out, micros, offset));
      }
      out.writeEndArray();
    }
    out.writeEndArray();
  }

  /** The kinds of events as the page numbers them. */
  private enum Kind {
    STATE(0),
    LINE(1),
    SEND(2),
    RECEIVE(3),
    START(4),
    STOP(5);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    private static final EventBody.Visitor<Kind> OF =
        new EventBody.Visitor<>() {
          @Override
          public Kind stateChange(EventBody.StateChange state) {
            return STATE;
          }

          @Override
          public Kind logLine(EventBody.LogLine line) {
            return LINE;
          }

          @Override
          public Kind send(Send send) {
            return SEND;
          }

          @Override
          public Kind receive(Receive receive) {
            return RECEIVE;
          }

          @Override
          public Kind heartbeat(EventBody.Heartbeat heartbeat) {
            return STATE;
          }

          @Override
          public Kind start(EventBody.Start start) {
            return START;
          }

          @Override
          public Kind stop(EventBody.Stop stop) {
            return STOP;
          }
        };

    static Kind of(EventBody body) {
      return body.accept(OF);
    }
  }
}
