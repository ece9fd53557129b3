package io.retroscope.cli.command;

import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.option.StatementSource;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.sound.LiveSound;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
      "Example:",
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

  @Option(names = "--mute", description = "Print rows without playing them.")
  private boolean mute;

  @Override
  public Integer call() throws Exception {
    List<String> queries = source.queries(true);
    if (queries.size() > MAX_QUERIES) {
      throw new CommandException(
          ExitCode.USAGE, "at most " + MAX_QUERIES + " queries can be listened to at once");
    }
    PrintWriter err = spec.commandLine().getErr();
    try (LiveSound sound = mute ? LiveSound.mute(err) : LiveSound.open(err)) {
      listen(queries, sound);
    }
    return ExitCode.OK.number();
  }

  /** One thread per query; the first failure ends all queries. */
  private void listen(List<String> queries, LiveSound sound) throws InterruptedException {
    ScheduledExecutorService threads =
        Executors.newScheduledThreadPool(queries.size() + 1, ListenCommand::daemon);
    ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
    List<LiveSink> sinks = queries.stream().map(query -> new LiveSink(sound)).toList();
    try {
      List<Future<?>> tasks = new CopyOnWriteArrayList<>();
      for (int i = 0; i < queries.size(); i++) {
        String query = queries.get(i);
        LiveSink sink = sinks.get(i);
        tasks.add(running.submit(() -> run(query, sink)));
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

  private static void end(List<LiveSink> sinks, List<Future<?>> tasks) {
    sinks.forEach(sink -> sink.ended = true);
    tasks.forEach(task -> task.cancel(true));
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "retroscope-listen");
    thread.setDaemon(true);
    return thread;
  }

  private Void run(String query, LiveSink sink) {
    try (Session session = server.client().rql()) {
      QueryTarget.run(session, query, sink);
      return null;
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

  private final class LiveSink implements RowSink {
    private final LiveSound sound;
    private volatile List<Column> columns = List.of();
    private volatile boolean ended;

    LiveSink(LiveSound sound) {
      this.sound = sound;
    }

    @Override
    public void columns(List<Column> found) {
      columns = found;
    }

    @Override
    public boolean row(Row row) {
      spec.commandLine().getOut().println(RowJson.text(columns, row));
      row.note().ifPresent(sound::play);
      return !ended;
    }

    @Override
    public void warning(String message) {
      spec.commandLine().getErr().println("warning: " + ValueText.printable(message));
    }

    @Override
    public boolean cancelled() {
      return ended;
    }
  }
}
