package io.retroscope.cli.command;

import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.option.StatementSource;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.sound.ListenSink;
import io.retroscope.cli.sound.RuleVolumes;
import io.retroscope.cli.sound.SoundscapeListener;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that prints the rows of live queries, and plays their notes. */
@Command(
    name = "listen",
    description = "Print and play the rows of live queries as they appear; Ctrl-C ends it.",
    footer = {
      "",
      "Examples:",
      "  retroscope listen staleness.rql",
      "  retroscope listen 'SELECT STREAM r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES",
      "      PLAY woodblock NOTE 60 + 2 * SPREAD(r1)'"
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

  @Option(names = "--mute", description = "Print only.")
  private boolean mute;

  @Option(
      names = "--mute-rule",
      split = ",",
      paramLabel = "N",
      description = "Print only the lines of this statement, counted from 1; may repeat.")
  private Set<Integer> muted = Set.of();

  @Option(
      names = "--solo",
      split = ",",
      paramLabel = "N",
      description = "Sound only this statement; may repeat.")
  private Set<Integer> solo = Set.of();

  @Option(
      names = "--volume",
      paramLabel = "N=DB",
      description = "Make a statement louder or softer by this many decibels, as in 2=-6.")
  private Map<Integer, Double> decibels = Map.of();

  @Option(
      names = "--quiet-hours",
      paramLabel = "HOURS",
      description = "Print only during these hours of each day, as in 22:00-07:00.")
  private Optional<String> quietHours = Optional.empty();

  @Option(names = "--heartbeat", description = "Click every 30 s while all is well.")
  private boolean heartbeat;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Sound on the device whose name contains this.")
  private Optional<String> device = Optional.empty();

  @Option(
      names = "--keys",
      description = "Read standard input: the key a, then Enter, acknowledges alarms.")
  private boolean keys;

  @Option(names = "--list-devices", description = "List the devices and end.")
  private boolean listDevices;

  @Override
  public Integer call() throws Exception {
    if (listDevices) {
      SoundscapeListener.devices().forEach(spec.commandLine().getOut()::println);
      return ExitCode.OK.number();
    }
    List<Query> queries = source.queries(true);
    if (queries.size() > MAX_QUERIES) {
      throw new CommandException(
          ExitCode.USAGE, "at most " + MAX_QUERIES + " queries can be listened to at once");
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    SoundscapeListener.Options options =
        new SoundscapeListener.Options(
            new RuleVolumes(
                mute, muted, solo, decibels, quietHours.map(RuleVolumes.QuietHours::parse)),
            heartbeat,
            device,
            System::nanoTime,
            LocalTime::now);
    Set<String> nodes = nodes();
    try (SoundscapeListener sound = SoundscapeListener.open(queries, nodes, options, out, err)) {
      if (keys) {
        startKeys(sound);
      }
      listen(queries, sound);
    }
    return ExitCode.OK.number();
  }

  /** The nodes known now; a server that cannot be reached is reported by the queries. */
  private Set<String> nodes() {
    try (Session session = server.client().rql()) {
      return session.catalog().nodeNames();
    } catch (IOException | ProblemException e) {
      return Set.of();
    }
  }

  /** Reads lines, which every terminal and pipe has. */
  private static void startKeys(SoundscapeListener sound) {
    Thread reader =
        daemon(
            () -> {
              try (Scanner lines = new Scanner(System.in, Charset.defaultCharset())) {
                while (lines.hasNextLine()) {
                  if (lines.nextLine().strip().equalsIgnoreCase("a")) {
                    sound.acknowledge();
                  }
                }
              }
            });
    reader.start();
  }

  /** One thread per query; the first failure ends all queries. */
  private void listen(List<Query> queries, SoundscapeListener sound) throws InterruptedException {
    ScheduledExecutorService threads =
        Executors.newScheduledThreadPool(queries.size() + 1, ListenCommand::daemon);
    ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    List<ListenSink> sinks = queries.stream().map(query -> new ListenSink(out, err)).toList();
    try {
      List<Future<?>> tasks = new CopyOnWriteArrayList<>();
      for (int i = 0; i < queries.size(); i++) {
        int number = i;
        String query = RqlFormatter.format(queries.get(i));
        tasks.add(running.submit(() -> run(number, query, sound, sinks.get(number))));
      }
      if (limit.isPresent()) {
        long millis = limit.get().toMillis();
        tasks.add(threads.schedule(() -> end(sinks, tasks), millis, TimeUnit.MILLISECONDS));
      }
      awaitEnd(running, queries.size());
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(2, TimeUnit.SECONDS);
    }
  }

  private static void end(List<ListenSink> sinks, List<Future<?>> tasks) {
    sinks.forEach(ListenSink::end);
    tasks.forEach(task -> task.cancel(true));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "retroscope-listen");
    thread.setDaemon(true);
    return thread;
  }

  private Void run(int number, String query, SoundscapeListener sound, ListenSink sink) {
    try (Session session = server.client().patient()) {
      sound.follow(number, session, query, sink);
      return null;
    } catch (IOException e) {
      throw new CommandException(ExitCode.CONNECTION_LOST, String.valueOf(e.getMessage()), e);
    }
  }

  private static void awaitEnd(ExecutorCompletionService<Void> running, int count)
      throws InterruptedException {
    for (int i = 0; i < count; i++) {
      try {
        running.take().get();
      } catch (CancellationException e) {
        // The duration has expired.
      } catch (ExecutionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw new AssertionError("a query fails by an unchecked exception only", e);
      }
    }
  }
}
