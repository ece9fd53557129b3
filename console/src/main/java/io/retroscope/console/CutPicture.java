// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence.Stay;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.presence.SilentNodes;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/**
 * The cut at one stamp as JSON: for each node its values, since when they hold, its clock, and
 * whether it was silent; and the messages in flight. Used by one thread, once.
 */
public final class CutPicture {
  /** The most values in one answer. */
  static final int MAX_VALUES = 20_000;

  /** The most messages in flight that are listed. */
  static final int MAX_MESSAGES = 200;

  /** The most losses that are listed. */
  private static final int MAX_GAPS = 100;

  private final View view;
  private final long hlc;
  private final Selection selection;
  private final SilenceLimits limits;
  private final Set<Part> parts;
  private final CutState state = new CutState(Set.of());
  private final List<String> warnings = new ArrayList<>();
  private Map<String, SilentNode> silent = Map.of();
  private Optional<CutTime> time = Optional.empty();

  /**
   * The values that are wanted.
   *
   * @param logs by name
   * @param variables by name; all if empty
   */
  public record Selection(Set<String> logs, Set<String> variables) {
    /** Copies the sets. */
    public Selection {
      logs = Set.copyOf(logs);
      variables = Set.copyOf(variables);
    }

    boolean has(String variable) {
      return variables.isEmpty() || variables.contains(variable);
    }
  }

  /** A part of the picture: while a cut is dragged, its values are wanted before the rest. */
  public enum Part {
    /** The nodes with their values, and the unknown. */
    VALUES,
    /** The values, and since when each holds, for which much more of the history may be read. */
    AGES,
    /** The messages in flight. */
    MESSAGES,
    /** The neighbouring cuts. */
    STEPS;

    /** The name in requests. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private CutPicture(
      View view, long hlc, Selection selection, SilenceLimits limits, Set<Part> parts) {
    this.parts = parts;
    this.view = view;
    this.hlc = hlc;
    this.selection = selection;
    this.limits = limits;
  }

  /**
   * Shows a cut.
   *
   * @param hlc packed; the cut contains the events up to and including it
   * @param limits of silence, as those of the engine that answers queries
   * @param parts that are wanted
   */
  public static String json(
      View view, long hlc, Selection selection, SilenceLimits limits, Set<Part> parts) {
    CutPicture picture = new CutPicture(view, hlc, selection, limits, parts);
    if (picture.hasValues()) {
      picture.walk();
    }
    return PageJson.object(picture::write);
  }

  private boolean hasValues() {
    return parts.contains(Part.VALUES) || hasAges();
  }

  private boolean hasAges() {
    return parts.contains(Part.AGES);
  }

  private void walk() {
    for (LogDescription log : view.logs()) {
      if (selection.logs().contains(log.name())) {
        log.variables().stream()
            .filter(selection::has)
            .forEach(variable -> state.follow(log.name(), variable));
      }
    }
    state.keepWrites();
    SilentNodes silence = new SilentNodes(limits, node -> true);
    CutWalker walker =
        new CutWalker(
            new CutBatch(state),
            selection.logs(),
            hasAges(),
            hlc,
            hlc,
            CutTimers.NONE,
            null,
            new Listener());
    walker.follow(silence);
    walker.advance(view, hlc);
    Map<String, SilentNode> now = new LinkedHashMap<>();
    silence.now().forEach(node -> now.put(node.node(), node));
    silent = now;
  }

  private void write(JsonGenerator out) {
    out.writeStringProperty("at", HlcTimestamp.text(hlc));
    if (hasValues()) {
      time(out);
      nodes(out);
      gaps(out);
      KnownDoubts.write(out, view, new HlcRange(hlc, hlc));
    }
    if (parts.contains(Part.MESSAGES)) {
      flight(out);
    }
    if (parts.contains(Part.STEPS)) {
      steps(out);
    }
    PageJson.texts(out, "warnings", warnings.stream());
  }

  private void time(JsonGenerator out) {
    out.writeNumberProperty("micros", time.map(CutTime::micros).orElse(HlcTimestamp.micros(hlc)));
    out.writeName("uncertaintyMicros");
    PageJson.number(out, time.map(CutTime::uncertaintyMicros).orElse(OptionalLong.empty()));
    out.writeStringProperty("clock", view.clockOffsets().referenceNode().orElse(""));
  }

  private void nodes(JsonGenerator out) {
    List<VariableColumn> columns = columns();
    int left = MAX_VALUES;
    out.writeArrayPropertyStart("nodes");
    for (var described : view.nodes()) {
      if (described.firstHlc() > hlc || described.forgotten()) {
        continue;
      }
      String name = described.name();
      out.writeStartObject();
      out.writeStringProperty("node", name);
      presence(out, name);
      offset(out, name);
      out.writeArrayPropertyStart("values");
      int node = state.nodes().find(name);
      for (VariableColumn column : columns) {
        Value value = column.at(node);
        if (value != null && left-- > 0) {
          value(out, column, node, value);
        }
      }
      out.writeEndArray();
      out.writeEndObject();
    }
    out.writeEndArray();
    if (left < 0) {
      warnings.add("%,d values are left out: select logs or variables".formatted(-left));
    }
  }

  private List<VariableColumn> columns() {
    List<VariableColumn> columns = new ArrayList<>();
    for (LogDescription log : view.logs()) {
      if (selection.logs().contains(log.name())) {
        log.variables().stream()
            .filter(selection::has)
            .forEach(variable -> columns.add(state.follow(log.name(), variable)));
      }
    }
    return columns;
  }

  private void value(JsonGenerator out, VariableColumn column, int node, Value value) {
    String text = ValueText.of(value);
    boolean isLong = text.length() > RecordedColumns.MAX_TEXT;
    out.writeStartObject();
    out.writeStringProperty("log", column.log());
    out.writeStringProperty("variable", column.name());
    out.writeStringProperty(
        "text", isLong ? text.substring(0, RecordedColumns.MAX_TEXT) + "…" : text);
    out.writeName("value").writeRawValue(isLong ? "null" : JsonValues.text(value));
    out.writeStringProperty("writtenHlc", HlcTimestamp.text(column.writtenAt(node)));
    if (hasAges()) {
      out.writeStringProperty("hlc", HlcTimestamp.text(column.changedAt(node)));
      out.writeNumberProperty("ageMicros", micros(column.changedAt(node), hlc));
    }
    out.writeBooleanProperty("momentary", !column.holdsState());
    out.writeEndObject();
  }

  /** Adds whether a node is live: silence is that of the engine's warnings. */
  private void presence(JsonGenerator out, String node) {
    Optional<Stay> stay = view.presence(node).flatMap(presence -> presence.latest(hlc));
    long last = stay.map(one -> Math.min(one.to(), hlc)).orElse(hlc);
    boolean isExact = stay.isPresent() && stay.get().to() <= hlc;
    boolean hasStopped = isExact && hasStopped(view, node, last);
    out.writeStringProperty(
        "state", hasStopped ? "stopped" : silent.containsKey(node) ? "silent" : "live");
    out.writeStringProperty("lastHlc", isExact ? HlcTimestamp.text(last) : null);
    out.writeNumberProperty("silentMicros", isExact ? micros(last, hlc) : 0);
  }

  /** Whether the last event of a node at a stamp is its end. */
  static boolean hasStopped(View view, String node, long at) {
    Iterator<Event> events = view.scan(Set.of(), new HlcRange(at, at));
    boolean stopped = false;
    while (events.hasNext()) {
      Event event = events.next();
      if (event.node().equals(node)) {
        stopped = event.body() instanceof EventBody.Stop;
      }
    }
    return stopped;
  }

  private void offset(JsonGenerator out, String node) {
    Optional<Offset> offset = view.clockOffsets().offset(node, hlc);
    if (offset.isEmpty()) {
      out.writeNullProperty("offset");
      return;
    }
    out.writeObjectPropertyStart("offset");
    out.writeName("lowMicros");
    PageJson.number(out, offset.get().lowMicros());
    out.writeNumberProperty("micros", offset.get().estimateMicros());
    out.writeName("highMicros");
    PageJson.number(out, offset.get().highMicros());
    out.writeEndObject();
  }

  private static long micros(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }

  /** Adds the losses around the cut, which may show older values there. */
  private void gaps(JsonGenerator out) {
    out.writeArrayPropertyStart("gaps");
    view.gaps(new HlcRange(hlc, hlc)).stream()
        .limit(MAX_GAPS)
        .forEach(
            gap -> {
              out.writeStartArray();
              out.writeString(gap.node());
              out.writeString(HlcTimestamp.text(gap.range().from()));
              out.writeString(HlcTimestamp.text(gap.range().to()));
              out.writeNumber(gap.eventCount());
              out.writeEndArray();
            });
    out.writeEndArray();
  }

  private void flight(JsonGenerator out) {
    MessageSearch search = MessageSearch.of(view, new HlcRange(hlc, hlc));
    List<MessageSearch.Message> flying =
        search.matched().stream().filter(message -> message.isInFlight(hlc)).toList();
    MessageList.messages(out, "inFlight", flying, MAX_MESSAGES);
    MessageList.ends(out, "unreceived", search.unreceived(), MAX_MESSAGES);
    MessageList.searched(out, search);
  }

  private void steps(JsonGenerator out) {
    CutSteps steps = new CutSteps(view, selection.logs(), selection::has);
    step(out, "previous", steps.before(hlc));
    step(out, "next", steps.after(hlc));
  }

  private static void step(JsonGenerator out, String name, CutSteps.Step step) {
    if (step.isFound()) {
      out.writeStringProperty(name, HlcTimestamp.text(step.hlc()));
    } else if (step.isEnd()) {
      out.writeNullProperty(name);
    } else {
      out.writeStringProperty(name + "Searched", HlcTimestamp.text(step.hlc()));
    }
  }

  /** Keeps the warnings of the walk, and the time of the cut. */
  private final class Listener implements CutListener {
    @Override
    public boolean start(long stamp) {
      return true;
    }

    @Override
    public boolean cut(long stamp) {
      if (stamp == hlc) {
        time = Optional.of(state.origin().time(hlc, view.clockOffsets()));
      }
      return true;
    }

    @Override
    public boolean reached(long stamp) {
      return true;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void warning(EventWarning warning) {
      warnings.add(warning.sentence());
    }
  }
}
