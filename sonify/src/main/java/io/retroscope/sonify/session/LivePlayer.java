// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.LiveSoundscape;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The sound of rules over live rows. Thread-safe. */
public final class LivePlayer implements AutoCloseable {
  private static final long STEP_MILLIS = 5;

  private final SoundscapeRules rules;
  private final LiveSoundscape soundscape;
  private final Connections connections;
  private final LongSupplier nanos;
  private final ScheduledExecutorService ticker =
      Executors.newSingleThreadScheduledExecutor(LivePlayer::daemon);

  /**
   * A player that waits for the rows of its rules.
   *
   * @param heartbeat whether a click shows every 30 s that all is well
   * @param nodes known now; each gets a place
   * @param nanos a stopwatch
   * @param out takes the notes, one at a time
   */
  public LivePlayer(
      SoundscapeRules rules,
      boolean heartbeat,
      Collection<String> nodes,
      LongSupplier nanos,
      Consumer<NoteEvent> out) {
    PatchBank bank = PatchBank.standard();
    this.rules = rules;
    this.nanos = nanos;
    this.soundscape =
        new LiveSoundscape(
            rules.stateful(heartbeat),
            nodes,
            note -> bank.tailMicros(note.patch(), note.lengthMicros()),
            nanos,
            out);
    this.connections = new Connections(soundscape, rules.rules().size());
  }

  /**
   * Begins to sound what is due.
   *
   * @param afterwards called every few milliseconds, after the notes that are due
   */
  public void start(Runnable afterwards) {
    Runnable step =
        () -> {
          soundscape.advance();
          afterwards.run();
        };
    var unused = ticker.scheduleAtFixedRate(step, STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "retroscope-soundscape");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Follows one rule until the sink wants no more.
   *
   * @param rows takes the rows of a rule whose rows sound, and warnings
   * @throws RqlException if the statement is wrong, or failed
   * @throws IOException if the server cannot be reached
   */
  public void follow(Rule rule, Session session, RowSink rows) throws IOException {
    CheckSink.check(session, rule);
    if (rule.snapshot().isPresent()) {
      snapshot(session, rule);
    }
    session.run(rule.query(), new LiveRuleSink(rule, soundscape, connections, rows, nanos));
  }

  /** Sets the state before the first row; a log that does not exist yet has none. */
  private void snapshot(Session session, Rule rule) throws IOException {
    try {
      session.run(
          rule.snapshot().orElseThrow(),
          new SnapshotSink(new RuleRows(rule), soundscape::addHistory));
    } catch (RqlException e) {
      // The STREAM itself reports the error.
    }
  }

  /** Silences the alarms until they fire again. */
  public void acknowledge() {
    soundscape.acknowledge(rules.of(Rule.Kind.ALARM));
  }

  /** The notes left out as too many, by rule. */
  public Map<String, Long> dropped() {
    return soundscape.dropped();
  }

  /** The places of the nodes, in one line. */
  public String legend() {
    return soundscape.legend();
  }

  @Override
  public void close() {
    ticker.shutdownNow();
  }
}
