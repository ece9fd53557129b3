// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.Origin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;

/** Events in memory, and the queries of rules over them. */
final class RecordedEvents {
  static final long START_MICROS = 1_795_200_000_000_000L;

  private final List<Event> events = new ArrayList<>();
  OptionalLong from = OptionalLong.empty();
  OptionalLong until = OptionalLong.empty();

  RecordedEvents set(long millis, String node, String variable, long value) {
    return add(
        millis,
        node,
        new StateChange(List.of(new Change(Operation.SET, variable, Value.of(value)))));
  }

  RecordedEvents stop(long millis, String node) {
    return add(millis, node, new EventBody.Stop());
  }

  private RecordedEvents add(long millis, String node, EventBody body) {
    events.add(
        new Event(
            node,
            "setd",
            HlcTimestamp.pack(START_MICROS + millis * 1_000),
            Event.NO_PHYSICAL,
            Event.NO_SEQUENCE,
            Set.of(),
            body));
    return this;
  }

  static SoundscapeRules rules(String script) {
    return SoundscapeRules.of(new RqlParser().parseScript(script), PatchBank.standard());
  }

  List<String> nodes() {
    return events.stream().map(Event::node).distinct().toList();
  }

  /** Runs the query of each rule. */
  void query(SoundscapeRules rules, BiConsumer<Rule, SoundInput> out) {
    events.sort(Comparator.comparingLong(Event::hlc));
    try (LocalSession session =
        new LocalSession(
            "memory", new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT)) {
      for (Rule rule : rules.rules()) {
        RuleRows rows = new RuleRows(rule);
        session.run(rule.query(), new Sink(rows, input -> out.accept(rule, input)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  PastSoundscape.Played play(String script, Tempo tempo) {
    SoundscapeRules rules = rules(script);
    PastSoundscape past = new PastSoundscape(rules, false, nodes(), tempo, NoteEvent::lengthMicros);
    past.limit(from, until);
    query(rules, (rule, input) -> past.add(input));
    return past.play();
  }

  private record Sink(RuleRows rows, java.util.function.Consumer<SoundInput> out)
      implements RowSink {
    @Override
    public void columns(List<Column> columns) {
      rows.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      rows.row(row, Origin.LIVE, out);
      return true;
    }

    @Override
    public void warning(String message) {
      throw new AssertionError(message);
    }
  }
}
