// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.IncompletenessJson;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.live.LiveSink;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.sonify.rule.NoteJson;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A sender of a live result as server-sent events, through a bounded queue. Used by the query's
 * thread, except for {@link #cancel}.
 *
 * <p>A client that does not keep up loses events, and is notified of the stamps of the rows that it
 * lost as soon as it has read half of what waits; then it receives further rows.
 */
final class StreamSink implements LiveSink {
  /** The most reasons in one notice. */
  private static final int MAX_REASONS = 100;

  private final OutgoingEvents events;
  private final String suffix;
  private final Parts parts;
  private final Metrics metrics;
  private final @Nullable ResultWriter lossless;
  private List<Column> columns = List.of();
  private boolean edges;
  private String eventId = "";
  private String place = "";
  private long heldMicros;
  private boolean isPatient = true;
  private Kind kind = Kind.ROW;

  /** The loss if an event finds no room; while no row is being sent, the last stamp reached. */
  private LostRows sending = LostRows.at(HlcTimestamp.MIN_PACKED);

  private @Nullable LostRows lost;

  /** The last notice, as an event, if it has found no room; it precedes further rows. */
  private @Nullable OutgoingEvent notice;

  /** The last progress, as an event, if it has found no room and no row was sent after it. */
  private @Nullable OutgoingEvent progress;

  private volatile boolean cancelled;
  private volatile boolean finished;

  /** What becomes of an event for which there is no room. */
  private enum Kind {
    /** The client is notified that it lost it. */
    ROW,
    /** It is sent later, before further rows, unless the next one replaces it. */
    NOTICE,
    /** It is sent later, unless a row or the next one replaces it. */
    PROGRESS,
    /** It is sent all the same; there are few of them. */
    FRAME
  }

  /**
   * Rows that were not sent.
   *
   * @param from packed, the lowest stamp
   * @param until packed, the highest one
   * @param events the number of rows and other events
   */
  private record LostRows(long from, long until, long events) {
    static LostRows at(long hlc) {
      return new LostRows(hlc, hlc, 1);
    }

    LostRows and(LostRows more) {
      return new LostRows(
          Math.min(from, more.from), Math.max(until, more.until), events + more.events);
    }

    String sentence() {
      return "%,d events were not sent, because they were read too slowly: rows from %s to %s may be missing, or may not hold; query this range again"
          .formatted(events, HlcTimestamp.text(from), HlcTimestamp.text(until));
    }
  }

  /**
   * What the sinks of all clients share.
   *
   * @param patience the longest time for which a sink may wait for a client
   * @param rows the data of the last rows
   */
  record Parts(Duration patience, PhysicalClock clock, Metrics metrics, RowTexts rows) {}

  /**
   * A sink.
   *
   * @param lossless whether each event's data is a line as written by {@link ResultWriter}
   * @param events the queue for the client
   * @param suffix of the names of events, which distinguishes several queries of one client
   */
  StreamSink(boolean lossless, OutgoingEvents events, String suffix, Parts parts) {
    this.events = events;
    this.suffix = suffix;
    this.parts = parts;
    this.metrics = parts.metrics();
    this.lossless = lossless ? new ResultWriter(line -> offer("result", eventId, line)) : null;
  }

  /** An event that ends the stream for a reason of the server's, after all others. */
  OutgoingEvent problemEvent(String problem) {
    return lossless == null
        ? event("problem", problem)
        : event("result", line(writer -> writer.problem(problem)));
  }

  /** The client has disconnected. */
  void cancel() {
    cancelled = true;
    events.discard();
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public void columns(List<Column> columns) {
    boolean isRepeated = columns.equals(this.columns); // The query has begun another walk.
    this.columns = columns;
    edges = columns.stream().anyMatch(c -> c.automatic() && c.name().equals("edge"));
    if (lossless != null && !isRepeated) {
      as(Kind.FRAME, () -> lossless.columns(columns));
    }
  }

  @Override
  public boolean late(Row row) {
    metrics.increment(Count.ROWS);
    metrics.increment(Count.ROWS_LATE);
    sending = LostRows.at(row.hlc());
    return lossless == null
        ? offerRow("late", row)
        : offer("result", place, data("late", row, () -> line(writer -> writer.late(row))));
  }

  private boolean offerRow(String type, Row row) {
    return offer(type, place, data("json", row, () -> RowJson.text(columns, row)));
  }

  private byte[] data(String form, Row row, Supplier<String> text) {
    return parts.rows().data(new RowTexts.Key(form, columns, row), text);
  }

  @Override
  public void retracted(long row, long hlc) {
    metrics.increment(Count.ROWS_RETRACTED);
    sending = LostRows.at(hlc);
    if (lossless == null) {
      offer(
          "retracted",
          place,
          out -> {
            out.writeStringProperty("row", StreamPlace.rowText(row));
            out.writeStringProperty("hlc", HlcTimestamp.text(hlc));
          });
      return;
    }
    eventId = place;
    lossless.retracted(row, hlc);
    eventId = "";
  }

  @Override
  public void lost(long from, long until, String message) {
    metrics.increment(Count.RANGES_LOST);
    LostRows before = sending;
    sending = new LostRows(from, until, 1);
    if (lossless == null) {
      offer("lost", "", range(from, until, message));
    } else {
      lossless.warning(message);
    }
    sending = before;
  }

  private static Consumer<JsonGenerator> range(long from, long until, String message) {
    return out -> {
      out.writeStringProperty("warning", message);
      out.writeStringProperty("from", HlcTimestamp.text(from));
      out.writeStringProperty("until", HlcTimestamp.text(until));
    };
  }

  @Override
  public void setPatient(boolean patient) {
    isPatient = patient;
  }

  @Override
  public void reached(long hlc) {
    sending = LostRows.at(hlc);
    as(Kind.PROGRESS, this::catchUp);
  }

  /** Sends what has found no room so far, as far as there is some. */
  private void catchUp() {
    if (sendsWhatWaits() && progress != null && hasRoom(progress)) {
      progress = null;
    }
  }

  @Override
  public boolean row(Row row) {
    metrics.increment(Count.ROWS);
    long lagMicros = parts.clock().micros() - HlcTimestamp.micros(row.hlc());
    metrics.record(Latency.STREAM_LAG, TimeUnit.MICROSECONDS.toNanos(lagMicros));
    sending = LostRows.at(row.hlc());
    return lossless == null
        ? offerRow(edges ? "edge" : "row", row)
        : offer("result", place, data("row", row, () -> line(writer -> writer.row(row))));
  }

  /** Takes a sound of the rows so far. */
  void note(NoteEvent note) {
    offer("note", "", NoteJson.text(note));
  }

  /**
   * Takes the number of a rule's notes that were left out as too many.
   *
   * @param notes since the beginning of the stream
   */
  void dropped(String rule, long notes) {
    offer(
        "dropped",
        "",
        out -> {
          out.writeStringProperty("rule", rule);
          out.writeNumberProperty("notes", notes);
        });
  }

  @Override
  public void warning(String message) {
    if (lossless != null) {
      lossless.warning(message);
    } else {
      offer("lost", "", RowJson.warning(message));
    }
  }

  @Override
  public void notice(String sentence) {
    notice(sentence, List.of());
  }

  @Override
  public void notice(String sentence, List<Incompleteness> reasons) {
    if (lossless != null) {
      as(Kind.NOTICE, () -> lossless.notice(sentence));
    } else {
      as(Kind.NOTICE, () -> offer("notice", "", out -> write(out, sentence, reasons)));
    }
  }

  private static void write(JsonGenerator out, String sentence, List<Incompleteness> reasons) {
    out.writeStringProperty("notice", sentence);
    if (!reasons.isEmpty()) {
      out.writeArrayPropertyStart("incomplete");
      reasons.stream()
          .limit(MAX_REASONS)
          .forEach(reason -> JsonValues.write(out, IncompletenessJson.struct(reason)));
      out.writeEndArray();
    }
  }

  @Override
  public void place(StreamPlace after) {
    place = after.text();
  }

  @Override
  public void held(long micros) {
    heldMicros = micros;
  }

  @Override
  public void progress(long cuts, long hlc) {
    if (lossless != null) {
      eventId = place;
      as(Kind.PROGRESS, () -> lossless.progress(cuts, hlc, heldMicros));
      eventId = "";
    } else {
      as(
          Kind.PROGRESS,
          () ->
              offer(
                  "progress",
                  place,
                  out -> {
                    out.writeNumberProperty("cuts", cuts);
                    out.writeStringProperty("hlc", HlcTimestamp.text(hlc));
                    out.writeNumberProperty("heldMicros", heldMicros);
                  }));
    }
  }

  /** Adds events of another kind than rows. */
  private void as(Kind other, Runnable events) {
    kind = other;
    events.run();
    kind = Kind.ROW;
  }

  @Override
  public void end() {
    if (lossless != null) {
      as(Kind.FRAME, lossless::end);
    } else {
      as(Kind.FRAME, () -> offer("end", "", out -> out.writeBooleanProperty("end", true)));
    }
    finish();
  }

  @Override
  public void failed(RqlException reason) {
    problem(ProblemJson.text(422, reason));
  }

  @Override
  public void broken(String reason) {
    problem(ProblemJson.text(500, "The live query was ended", reason));
  }

  @Override
  public void goingDown() {
    problem(
        ProblemJson.text(
            ProblemJson.GOING_DOWN, "The live query was ended", "the server is shutting down"));
  }

  /** The result cannot be sent as wanted. */
  void refused(String reason) {
    problem(ProblemJson.text(422, "The live query was ended", reason));
  }

  private void problem(String problem) {
    if (lossless != null) {
      as(Kind.FRAME, () -> lossless.problem(problem));
    } else {
      as(
          Kind.FRAME,
          () -> {
            boolean unused = offer("problem", "", problem);
          });
    }
    finish();
  }

  private void finish() {
    if (!finished) {
      finished = true;
      events.end();
    }
  }

  private void offer(String type, String id, Consumer<JsonGenerator> fields) {
    boolean unused = offer(type, id, JsonText.object(fields));
  }

  private boolean offer(String type, String id, String data) {
    return offer(type, id, OutgoingEvent.data(data));
  }

  /** Adds an event, or does with it as its kind says; returns whether more are wanted. */
  private boolean offer(String type, String id, byte[] data) {
    if (cancelled || finished) {
      return false;
    }
    OutgoingEvent event = OutgoingEvent.of(type + suffix, id, data);
    if (kind == Kind.FRAME) {
      sendAnyway(event);
    } else if (!sendsWhatWaits() || !hasRoom(event)) {
      keep(event);
    } else if (kind == Kind.PROGRESS || !id.isEmpty()) {
      progress = null; // Its id is that of an earlier place.
    }
    return !cancelled;
  }

  private void sendAnyway(OutgoingEvent event) {
    if (lost != null) {
      events.offerAnyway(lostEvent(lost));
      lost = null;
    }
    if (notice != null) {
      events.offerAnyway(notice);
      notice = null;
    }
    progress = null;
    events.offerAnyway(event);
  }

  /** Keeps what the client must learn of an event that found no room. */
  private void keep(OutgoingEvent event) {
    switch (kind) {
      case ROW -> lost = lost == null ? sending : lost.and(sending);
      case NOTICE -> notice = event;
      case PROGRESS -> progress = event;
      case FRAME -> throw new AssertionError("it is sent anyway");
    }
  }

  /**
   * Reports the lost rows, then the last notice, as soon as there is room again; returns whether
   * nothing remains that must precede a row.
   */
  private boolean sendsWhatWaits() {
    if (lost != null && events.isHalfEmpty() && hasRoom(lostEvent(lost))) {
      metrics.increment(Count.RANGES_LOST);
      lost = null;
    }
    if (lost == null && notice != null && hasRoom(notice)) {
      notice = null;
    }
    return lost == null && notice == null;
  }

  private OutgoingEvent lostEvent(LostRows rows) {
    return lossless == null
        ? event("lost", JsonText.object(range(rows.from(), rows.until(), rows.sentence())))
        : event("result", line(writer -> writer.warning(rows.sentence())));
  }

  /** A line of the lossless form. */
  private static String line(Consumer<ResultWriter> content) {
    StringBuilder text = new StringBuilder();
    content.accept(new ResultWriter(line -> text.append(line).length() > 0));
    return text.toString();
  }

  /** Adds an event if there is room, or is soon. */
  private boolean hasRoom(OutgoingEvent event) {
    boolean waits = isPatient && lost == null && kind != Kind.PROGRESS;
    try {
      return events.offer(event, waits ? parts.patience().toMillis() : 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancelled = true;
      finish();
      return false;
    }
  }

  private OutgoingEvent event(String type, String data) {
    return OutgoingEvent.of(type + suffix, data);
  }
}
