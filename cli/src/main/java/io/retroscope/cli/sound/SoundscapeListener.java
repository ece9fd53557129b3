package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.play.SoundDevices;
import io.retroscope.sonify.rule.LiveSoundscape;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.score.UnknownInstrumentException;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.sound.midi.MidiUnavailableException;
import org.jspecify.annotations.Nullable;

/** The rules of live statements, their sound, and a line of text for each sound. Thread-safe. */
public final class SoundscapeListener implements AutoCloseable {
  private static final long STEP_MILLIS = 5;

  private final SoundscapeRules rules;
  private final Options options;
  private final PrintWriter out;
  private final PrintWriter err;
  private final LiveSoundscape soundscape;
  private final Optional<LiveOutput> output;
  private final ScheduledExecutorService ticker =
      Executors.newSingleThreadScheduledExecutor(SoundscapeListener::daemon);
  private final Connections connections;
  private @Nullable Future<?> ticking;
  private long lastAlarmMicros = Long.MIN_VALUE / 2;

  /**
   * The choices of the listener.
   *
   * @param heartbeat whether a click shows every 30 s that all is well
   * @param device a part of the name of a device; empty for the sound card
   * @param nanos a stopwatch
   * @param timeOfDay local time
   */
  public record Options(
      RuleVolumes volumes,
      boolean heartbeat,
      Optional<String> device,
      LongSupplier nanos,
      Supplier<LocalTime> timeOfDay) {}

  private SoundscapeListener(
      SoundscapeRules rules,
      Collection<String> nodes,
      Options options,
      Optional<LiveOutput> output,
      PrintWriter out,
      PrintWriter err) {
    this.rules = rules;
    this.options = options;
    this.output = output;
    this.out = out;
    this.err = err;
    PatchBank bank = PatchBank.standard();
    this.soundscape =
        new LiveSoundscape(
            rules.stateful(options.heartbeat()),
            nodes,
            note ->
                bank.patch(note.patch())
                    .map(patch -> patch.tailMicros(note.lengthMicros()))
                    .orElse(0L),
            options.nanos(),
            this::sound);
    this.connections = new Connections(soundscape, rules.rules().size());
  }

  /**
   * Opens the sound of statements.
   *
   * @param nodes known now; each gets a place
   * @throws CommandException if an instrument or the device is unknown
   */
  public static SoundscapeListener open(
      List<Query> statements,
      Collection<String> nodes,
      Options options,
      PrintWriter out,
      PrintWriter err) {
    SoundscapeRules rules = rules(statements);
    rules.alikeWarnings().forEach(warning -> err.println("warning: " + warning));
    Optional<LiveOutput> output =
        options.volumes().all() || rules.rules().isEmpty()
            ? Optional.empty()
            : output(options, err);
    SoundscapeListener listener = new SoundscapeListener(rules, nodes, options, output, out, err);
    listener.ticking =
        listener.ticker.scheduleAtFixedRate(
            listener::advance, STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
    return listener;
  }

  /**
   * Returns the rules of statements.
   *
   * @throws CommandException if an instrument is unknown
   */
  static SoundscapeRules rules(List<Query> statements) {
    try {
      return SoundscapeRules.of(statements, PatchBank.standard());
    } catch (UnknownInstrumentException e) {
      throw new CommandException(ExitCode.STATEMENT_FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  private static Optional<LiveOutput> output(Options options, PrintWriter err) {
    try {
      Optional<LiveOutput> found =
          SoundDevices.open(options.device(), err::println, options.nanos());
      if (found.isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE,
            "no device is named " + options.device().orElse("") + ": see --list-devices");
      }
      return found;
    } catch (IOException | MidiUnavailableException e) {
      err.println("no live sound: " + e.getMessage());
      return Optional.empty();
    }
  }

  /** One line for each device that can sound. */
  public static List<String> devices() {
    List<String> names = SoundDevices.names();
    return names.isEmpty()
        ? List.of("no live sound: this machine has no audio line and no MIDI output")
        : names;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "retroscope-soundscape");
    thread.setDaemon(true);
    return thread;
  }

  private void advance() {
    soundscape.advance();
    output.ifPresent(LiveOutput::advance);
  }

  /** Called while the soundscape is locked, so notes come one at a time. */
  private void sound(NoteEvent note) {
    options
        .volumes()
        .apply(note, options.timeOfDay().get())
        .ifPresent(heard -> output.ifPresent(device -> device.now(heard)));
    if (note.kind() != NoteKind.ALARM || isNewBurst(note)) {
      NoteLine.of(note).ifPresent(out::println);
    }
  }

  private boolean isNewBurst(NoteEvent pulse) {
    boolean fresh = pulse.micros() - lastAlarmMicros > 2_000_000;
    lastAlarmMicros = pulse.micros();
    return fresh;
  }

  /**
   * Follows one statement until the sink wants no more.
   *
   * @param number of the statement, from 0
   * @param sink takes the rows of a statement whose rows sound, or that has no PLAY
   */
  public void follow(int number, Session session, String statement, ListenSink sink)
      throws IOException {
    Optional<Rule> rule =
        rules.rules().stream()
            .filter(known -> RuleVolumes.number(known.name()) == number + 1)
            .findFirst();
    if (rule.isEmpty()) {
      session.run(statement, sink);
      return;
    }
    Rule followed = rule.get();
    if (followed.kind() != Rule.Kind.ROWS) {
      session.run("EXPLAIN " + followed.statement(), new CheckSink());
    }
    if (followed.snapshot().isPresent()) {
      snapshot(session, followed);
    }
    session.run(
        followed.query(),
        new LiveRuleSink(followed, soundscape, connections, sink, options.nanos()));
  }

  /** Sets the state before the first row; a log that does not exist yet has none. */
  private void snapshot(Session session, Rule rule) throws IOException {
    RuleRows rows = new RuleRows(rule);
    try {
      session.run(rule.snapshot().orElseThrow(), new SnapshotSink(rows, soundscape));
    } catch (RqlException e) {
      // The STREAM itself reports the error.
    }
  }

  /** Silences the alarms until they fire again. */
  public void acknowledge() {
    soundscape.acknowledge(rules.of(Rule.Kind.ALARM));
    out.println("alarms acknowledged");
  }

  /** Ends the sound, and reports how many notes were left out. */
  @Override
  public void close() {
    if (ticking != null) {
      ticking.cancel(false);
    }
    ticker.shutdownNow();
    output.ifPresent(LiveOutput::close);
    soundscape
        .dropped()
        .forEach((rule, count) -> err.println(rule + ": " + count + " notes left out as too many"));
  }
}
