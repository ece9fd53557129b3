// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.Session;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.bank.UnknownInstrumentException;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.rule.NoteJson;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.session.LivePlayer;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The rules of live statements, their sound, and a line of text for each sound. Thread-safe. */
public final class SoundscapeListener implements AutoCloseable {
  private final SoundscapeRules rules;
  private final Options options;
  private final PrintWriter out;
  private final PrintWriter err;
  private final LivePlayer player;
  private final Optional<LiveOutput> output;
  private final NoteLines lines = new NoteLines(true);

  /**
   * The choices of the listener.
   *
   * @param json whether each note is printed as an object, rather than a line of text
   * @param heartbeat whether a click shows every 30 s that all is well
   * @param device a part of the name of a device; empty for the sound card
   * @param bank sounds on a sound card
   * @param nanos a stopwatch
   * @param timeOfDay local time
   */
  public record Options(
      RuleVolumes volumes,
      boolean json,
      boolean heartbeat,
      Optional<String> device,
      SoundBank bank,
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
    this.player = new LivePlayer(rules, options.heartbeat(), nodes, options.nanos(), this::sound);
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
            : Optional.of(
                LiveDevice.open(options.device(), options.bank(), err::println, options.nanos()));
    SoundscapeListener listener = new SoundscapeListener(rules, nodes, options, output, out, err);
    if (rules.rules().stream().anyMatch(rule -> rule.play().place().isPresent())) {
      err.println("places: " + listener.player.legend());
    }
    listener.player.start(() -> output.ifPresent(LiveOutput::advance));
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

  /** Called while the soundscape is locked, so notes come one at a time. */
  private void sound(NoteEvent note) {
    options
        .volumes()
        .apply(note, options.timeOfDay().get())
        .ifPresent(heard -> output.ifPresent(device -> device.now(heard)));
    (options.json() ? Optional.of(NoteJson.text(note)) : lines.of(note)).ifPresent(out::println);
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
    try {
      boolean isAlarm = rule.get().kind() == Rule.Kind.ALARM;
      player.follow(rule.get(), session, isAlarm ? sink.ofAlarm(rule.get()) : sink);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.STATEMENT_FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  /** Silences the alarms until they fire again. */
  public void acknowledge() {
    player.acknowledge();
    out.println("alarms acknowledged");
  }

  /** Ends the sound, and reports how many notes were left out. */
  @Override
  public void close() {
    player.close();
    output.ifPresent(LiveOutput::close);
    player
        .dropped()
        .forEach((rule, count) -> err.println(rule + ": " + count + " notes left out as too many"));
  }
}
