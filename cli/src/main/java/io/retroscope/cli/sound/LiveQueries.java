// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Live queries that are followed at the same time, one thread each. Used once. */
public final class LiveQueries {
  private final ServerClient server;
  private final SoundscapeListener sound;
  private final List<Query> queries;
  private final List<ListenSink> sinks;

  /**
   * Queries that do not run yet.
   *
   * @param rows also receives each row, as JSON; it must not wait
   */
  public LiveQueries(
      ServerClient server,
      SoundscapeListener sound,
      List<Query> queries,
      PrintWriter out,
      PrintWriter err,
      Consumer<String> rows) {
    this.server = server;
    this.sound = sound;
    this.queries = queries;
    this.sinks = queries.stream().map(query -> new ListenSink(out, err, rows)).toList();
  }

  /** Follows the queries for a duration, or until they end; the first failure ends all. */
  public void follow(Optional<Duration> limit) throws InterruptedException {
    ScheduledExecutorService threads =
        Executors.newScheduledThreadPool(queries.size() + 1, LiveQueries::daemon);
    ExecutorCompletionService<Void> running = new ExecutorCompletionService<>(threads);
    try {
      List<Future<?>> tasks = new CopyOnWriteArrayList<>();
      for (int i = 0; i < queries.size(); i++) {
        int number = i;
        tasks.add(running.submit(() -> run(number)));
      }
      if (limit.isPresent()) {
        long millis = limit.get().toMillis();
        tasks.add(threads.schedule(() -> end(tasks), millis, TimeUnit.MILLISECONDS));
      }
      awaitEnd(running, queries.size());
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(2, TimeUnit.SECONDS);
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "retroscope-listen");
    thread.setDaemon(true);
    return thread;
  }

  private void end(List<Future<?>> tasks) {
    sinks.forEach(ListenSink::end);
    tasks.forEach(task -> task.cancel(true));
  }

  private Void run(int number) {
    try (Session session = server.patient()) {
      sound.follow(number, session, RqlFormatter.format(queries.get(number)), sinks.get(number));
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
