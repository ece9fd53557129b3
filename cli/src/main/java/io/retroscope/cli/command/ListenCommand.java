// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.BankOption;
import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.option.StatementSource;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.RowProgram;
import io.retroscope.cli.shell.ShellClock;
import io.retroscope.cli.sound.AlertListening;
import io.retroscope.cli.sound.KeyReader;
import io.retroscope.cli.sound.LiveDevice;
import io.retroscope.cli.sound.LiveQueries;
import io.retroscope.cli.sound.RuleVolumes;
import io.retroscope.cli.sound.SoundscapeListener;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.sonify.play.LiveOutput;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Stack;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that prints the rows of live queries, and plays their notes. */
@Command(
    name = "listen",
    description = "Play live queries, or a server's alerts, and print what sounds, until Ctrl-C.",
    footer = {
      "",
      "Examples:",
      "  retroscope listen staleness.rql",
      "  retroscope listen 'SELECT STREAM r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES",
      "      PLAY woodblock NOTE 60 + 2 * SPREAD(r1)'",
      "  retroscope listen --mute staleness.rql --exec notify-send --urgency critical stale",
      "  retroscope listen --alerts --keys"
    })
public final class ListenCommand implements Callable<Integer> {
  private static final int MAX_QUERIES = 32;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private StatementSource source = new StatementSource();

  @Mixin private ServerOption server = new ServerOption();

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "End after this duration.")
  private Optional<Duration> limit = Optional.empty();

  @Option(names = "--mute", description = "Print, and sound nothing.")
  private boolean mute;

  @Option(
      names = "--mute-rule",
      split = ",",
      paramLabel = "N",
      description = "Silence this statement, counted from 1, and only print it; may be repeated.")
  private Set<Integer> muted = Set.of();

  @Option(
      names = "--solo",
      split = ",",
      paramLabel = "N",
      description = "Silence all statements but this one; may be repeated.")
  private Set<Integer> solo = Set.of();

  @Option(
      names = "--volume",
      paramLabel = "N=DB",
      description = "Make a statement louder or softer by this many decibels, as in 2=-6.")
  private Map<Integer, Double> decibels = Map.of();

  @Option(
      names = "--quiet-hours",
      paramLabel = "HOURS",
      description = "Silence everything during these hours of each day, as in 22:00-07:00.")
  private Optional<String> quietHours = Optional.empty();

  @Option(
      names = "--alerts",
      description =
          "Sound the server's alerts until each is acknowledged, and the loss of their evaluation.")
  private boolean alerts;

  @Option(names = "--heartbeat", description = "Click every 30 s while all is well.")
  private boolean heartbeat;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Sound on the device whose name contains this, rather than the sound card.")
  private Optional<String> device = Optional.empty();

  @Option(
      names = "--keys",
      description =
          "Read standard input: the key a, then Enter, acknowledges alarms; with --alerts also m to"
              + " mute the marked alert for an hour, and n to mark the next one.")
  private boolean keys;

  @Option(names = "--list-devices", description = "List the devices and end.")
  private boolean listDevices;

  @Option(names = "--notes", description = "Print each sound as an object of JSON.")
  private boolean notes;

  @Option(
      names = "--exec",
      arity = "1..*",
      paramLabel = "PROGRAM [ARG]",
      parameterConsumer = RestOfLine.class,
      description =
          "Start this program for each row, which is a line of JSON on its standard input. The rest"
              + " of the line is the program with its arguments.")
  private List<String> program = List.of();

  @Mixin private BankOption bank = new BankOption();

  @Override
  public Integer call() throws Exception {
    if (listDevices) {
      LiveDevice.names().forEach(spec.commandLine().getOut()::println);
      return ExitCode.OK.number();
    }
    if (alerts) {
      return listenToAlerts();
    }
    List<Query> queries = source.queries(true);
    if (queries.size() > MAX_QUERIES) {
      throw new CommandException(
          ExitCode.USAGE, "at most " + MAX_QUERIES + " queries can be listened to at once");
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Set<String> nodes = nodes();
    try (SoundscapeListener sound = SoundscapeListener.open(queries, nodes, options(), out, err)) {
      if (keys) {
        keys(Map.of("a", sound::acknowledge), () -> say(out, "a acknowledges alarms"));
      }
      return follow(sound, queries, out, err).number();
    }
  }

  private static void keys(Map<String, Runnable> actions, Runnable other) {
    new KeyReader(new InputStreamReader(System.in, Charset.defaultCharset()), actions, other)
        .start();
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }

  private int listenToAlerts() throws InterruptedException {
    if (source.isGiven() || !program.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "--alerts takes no queries and no --exec: the server knows its alerts");
    }
    LongSupplier nanos = ShellClock.SYSTEM::nanos;
    PrintWriter err = spec.commandLine().getErr();
    Optional<LiveOutput> output =
        mute
            ? Optional.empty()
            : Optional.of(LiveDevice.open(device, bank.bank(), err::println, nanos));
    try {
      AlertListening listening =
          new AlertListening(
              server.client(), output, heartbeat, nanos, spec.commandLine().getOut());
      if (keys) {
        listening.explainKeys();
        keys(
            Map.of("a", listening::acknowledge, "m", listening::mute, "n", listening::next),
            listening::explainKeys);
      }
      listening.follow(limit);
    } finally {
      output.ifPresent(LiveOutput::close);
    }
    return ExitCode.OK.number();
  }

  private ExitCode follow(
      SoundscapeListener sound, List<Query> queries, PrintWriter out, PrintWriter err)
      throws InterruptedException {
    if (program.isEmpty()) {
      new LiveQueries(server.client(), sound, queries, out, err, row -> {}).follow(limit);
      return ExitCode.OK;
    }
    RowProgram running = new RowProgram(program, err);
    try (running) {
      new LiveQueries(server.client(), sound, queries, out, err, running::offer).follow(limit);
    }
    return running.incomplete() ? ExitCode.FAILED : ExitCode.OK;
  }

  /** Takes all that follows, so that the program may have options of its own. */
  private static final class RestOfLine implements IParameterConsumer {
    @Override
    public void consumeParameters(Stack<String> rest, ArgSpec option, CommandSpec command) {
      List<String> words = new ArrayList<>();
      while (!rest.isEmpty()) {
        words.add(rest.pop());
      }
      if (words.isEmpty()) {
        throw new ParameterException(command.commandLine(), "--exec needs a program");
      }
      option.setValue(words);
    }
  }

  private SoundscapeListener.Options options() {
    return new SoundscapeListener.Options(
        new RuleVolumes(mute, muted, solo, decibels, quietHours.map(RuleVolumes.QuietHours::parse)),
        notes,
        heartbeat,
        device,
        bank.bank(),
        ShellClock.SYSTEM::nanos,
        ListenCommand::timeOfDay);
  }

  private static LocalTime timeOfDay() {
    long millis = TimeUnit.MICROSECONDS.toMillis(PhysicalClock.system().micros());
    return LocalTime.ofInstant(Instant.ofEpochMilli(millis), ZoneId.systemDefault());
  }

  /** The nodes known now; a server that cannot be reached is reported by the queries. */
  private Set<String> nodes() {
    try (Session session = server.client().rql()) {
      return session.catalog().nodeNames();
    } catch (IOException | ProblemException e) {
      return Set.of();
    }
  }
}
