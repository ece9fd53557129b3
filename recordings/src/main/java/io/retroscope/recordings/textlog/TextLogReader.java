// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.CutOff;
import io.retroscope.rql.cut.Incompleteness.Remarked;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The readings of one text log. Used by one thread. */
final class TextLogReader implements ReadingSource {
  /** A time that is lower than an earlier one by more than this is reported. */
  private static final long BACKWARD_MICROS = 1_000_000;

  private final TextLog log;
  private final InputStream in;
  private final Vocabulary vocabulary;
  private final Consumer<RequiredText> matched;
  private final MessageRules rules;
  private final TextLines lines;
  private final FileClock clock;
  private final EntryReader entries;
  private final boolean isFixed;
  private long highestMicros;
  private long backwardCount;
  private long firstBackward;
  private long cutCount;
  private long firstCut;

  TextLogReader(TextLog log, InputStream in, Vocabulary vocabulary) {
    this.log = log;
    this.in = in;
    this.vocabulary = vocabulary;
    matched = vocabulary::matched;
    rules = log.rules();
    lines = new TextLines(in);
    clock = log.clock();
    entries = log.entries(lines, clock);
    isFixed = log.settings().naming().isFixed();
  }

  @Override
  public @Nullable ClockReading next() throws IOException {
    Entry entry = entries.next();
    if (entry == null) {
      return null;
    }
    check(entry);
    return new ClockReading(
        node(entry),
        log.settings().log(),
        entry.micros(),
        log.path(),
        entry.line(),
        rules.isEmpty() ? List.of(line(entry)) : bodies(entry));
  }

  private void check(Entry entry) {
    if (entry.micros() < highestMicros - BACKWARD_MICROS) {
      firstBackward = backwardCount == 0 ? entry.line() : firstBackward;
      backwardCount++;
    }
    highestMicros = Math.max(highestMicros, entry.micros());
    if (entry.isCutOff()) {
      firstCut = cutCount == 0 ? entry.line() : firstCut;
      cutCount++;
    }
  }

  private String node(Entry entry) {
    String named =
        isFixed
            ? ""
            : entry.node().isEmpty() && log.choice().hasHosts()
                ? JsonFormat.host(entry.fields())
                : entry.node();
    String name = named.isBlank() ? log.node() : named;
    return name.length() <= Event.MAX_NODE_LENGTH ? name : name.substring(0, Event.MAX_NODE_LENGTH);
  }

  private static EventBody line(Entry entry) {
    return new EventBody.LogLine(entry.message(), entry.fields());
  }

  /** Receives, values, the line and sends, in this order. */
  private List<EventBody> bodies(Entry entry) {
    List<EventBody> bodies = new ArrayList<>(2);
    String message = entry.message();
    for (MessageRules.End end : ends(rules.receive(), message, entry.raw)) {
      bodies.add(new EventBody.Receive(vocabulary.peer(end.peer()), end.id()));
    }
    Map<String, String> texts = rules.variables(message, matched);
    if (texts.isEmpty()) {
      texts = rules.variables(entry.raw, matched);
    }
    if (!texts.isEmpty()) {
      List<Change> changes = new ArrayList<>();
      texts.forEach(
          (name, text) ->
              changes.add(new Change(Operation.SET, name, vocabulary.value(name, text))));
      bodies.add(new EventBody.StateChange(changes));
    }
    bodies.add(line(entry));
    for (MessageRules.End end : ends(rules.send(), message, entry.raw)) {
      bodies.add(new EventBody.Send(vocabulary.peer(end.peer()), end.id()));
    }
    return bodies;
  }

  /** The ends in a message, or else in the line as it is, of which the message is a part. */
  private List<MessageRules.End> ends(List<RequiredText> kind, String message, String raw) {
    List<MessageRules.End> found = MessageRules.ends(kind, message, matched);
    return found.isEmpty() ? MessageRules.ends(kind, raw, matched) : found;
  }

  @Override
  public List<Incompleteness> reasons() {
    List<Incompleteness> reasons = new ArrayList<>();
    String path = log.path();
    if (entries.linesBefore() > 0) {
      reasons.add(
          new Remarked(
              "%s: %s before the first time belong to no entry and were left out"
                  .formatted(path, many(entries.linesBefore(), "line"))));
    }
    if (entries.isCutOff()) {
      reasons.add(
          new CutOff(
              "%s:%d: the last line is cut off and was left out".formatted(path, lines.number())));
    }
    if (backwardCount > 0) {
      reasons.add(
          new Remarked(
              "%s:%d: the time goes back by more than a second%s; lines keep their order"
                  .formatted(
                      path,
                      firstBackward,
                      backwardCount == 1 ? "" : " (" + many(backwardCount, "line") + " in all)")));
    }
    if (cutCount > 0 || lines.tooLongCount() > 0) {
      reasons.add(
          new CutOff(
              "%s:%d: a message of more than 1 MiB is cut off"
                  .formatted(path, Math.max(1, firstCut))));
    }
    if (entries.isAmbiguous() && log.choice().order() != DateOrder.DAY_FIRST) {
      reasons.add(new Remarked(path + ": dates such as 03/04/2026 are read as month and day"));
    }
    if (log.leavesOut()) {
      reasons.add(assumption());
    }
    clock
        .overlap()
        .ifPresent(
            change ->
                reasons.add(
                    new Remarked(
                        "%s: clocks were set back to %s: of the times that they show twice, the first ones are meant until the lines go back"
                            .formatted(path, change))));
    return reasons;
  }

  private Incompleteness assumption() {
    LogTime.Missing missing = log.choice().missing();
    return new Remarked(
        "%s: its times %s: the last one is taken to be of %s, by the file's last change, or the present for standard input; \"touch -d TIME FILE\" sets another"
            .formatted(log.path(), missing.phrase(), clock.assumed(missing)));
  }

  private static String many(long count, String what) {
    return String.format(Locale.ROOT, "%,d %s%s", count, what, count == 1 ? "" : "s");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
