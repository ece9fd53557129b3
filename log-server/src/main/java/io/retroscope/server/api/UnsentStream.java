// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.live.LiveSink;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.SoundscapeRules;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A live statement with PLAY whose rows and notes are written as for a client, but not sent. */
public final class UnsentStream {
  private static final int QUEUE_BYTES = 1 << 20;

  private final PreparedQuery query;
  private final LiveSink sink;

  /**
   * A stream whose rows all sound.
   *
   * @param statement a SELECT STREAM with PLAY
   * @param hlc packed; rows above it sound
   * @param written takes what a client would receive
   */
  public UnsentStream(
      QueryEngine engine, String statement, long hlc, Consumer<ByteBuffer> written) {
    SoundscapeRules rules =
        SoundscapeRules.of(engine.read(statement).query().stream().toList(), PatchBank.standard());
    OutgoingEvents events = new OutgoingEvents(QUEUE_BYTES, new MemoryBudget(QUEUE_BYTES));
    events.readBy(
        () -> {
          written.accept(events.take());
          events.written();
        });
    StreamSink.Parts parts =
        new StreamSink.Parts(
            Duration.ZERO, PhysicalClock.system(), Metrics.unread(), new RowTexts());
    query = engine.prepare(rules.rules().get(0).query());
    sink = new NoteStream(rules, List.of(), hlc, new StreamSink(false, events, "", parts));
  }

  /** The query that is followed. */
  public PreparedQuery query() {
    return query;
  }

  /** The receiver of its rows. */
  public LiveSink sink() {
    return sink;
  }
}
