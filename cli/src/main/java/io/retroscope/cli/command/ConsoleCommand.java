// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.EventFiles;
import io.retroscope.cli.option.IdleTimeoutOption;
import io.retroscope.cli.option.NodeNameOption;
import io.retroscope.cli.option.OuterRowsOption;
import io.retroscope.cli.process.BrowserStart;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.LazyEventSource;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.api.FileApi;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that shows files of events in a browser until the process is stopped. */
@Command(
    name = "console",
    description =
        "Show files of events in a browser: queries, a timeline with a movable cut, clocks.",
    footer = {
      "",
      "The files are only read, by a server that this machine alone reaches. It ends with Ctrl-C.",
      "A log server needs no such command: its console is at its own address.",
      "",
      "Examples:",
      "  retroscope console events.ndjson",
      "  retroscope console logs/ --no-browser --port 7341",
      "",
      "Exit codes: 0 ended, 1 no port, 2 wrong usage or a file problem."
    })
public final class ConsoleCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private EventFiles files = new EventFiles();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Mixin private OuterRowsOption outerRows = new OuterRowsOption();

  @Mixin private IdleTimeoutOption idleTimeout = new IdleTimeoutOption();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --file FILE.")
  private List<Path> given = List.of();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "The port on the loopback interface (default: any free port).")
  private int port;

  @Option(names = "--no-browser", description = "Print the address only, and open no browser.")
  private boolean noBrowser;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (given.isEmpty() && !files.given()) {
      throw new CommandException(
          ExitCode.USAGE,
          "a file is missing; the console of a log server is at the server's own address, such as"
              + " http://127.0.0.1:7340/");
    }
    PrintWriter err = spec.commandLine().getErr();
    EventFileSet set = files.of(node.node()).open(given, err);
    QueryLimits limits = idleTimeout.in(QueryLimits.DEFAULT.with(outerRows.limits()));
    try (LazyEventSource source = set.source()) {
      // Whatever is wrong with the files shows before a browser opens.
      try (EventSource.View view = source.open()) {
        view.extent();
      }
      try (FileApi api = new FileApi(names(), source, source::openTimeline, limits)) {
        serve(api);
      }
    }
    return ExitCode.OK.number();
  }

  private void serve(FileApi api) throws InterruptedException {
    try {
      api.listen(port);
    } catch (IllegalStateException e) {
      throw new CommandException(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    }
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(ended::countDown, "console-end"));
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "console of %s at %s (Ctrl-C ends it)".formatted(String.join(", ", names()), api.uri()));
    out.flush();
    if (!noBrowser) {
      BrowserStart.ofThisMachine().open(api.uri());
    }
    ended.await();
  }

  private List<String> names() {
    return Stream.concat(given.stream().map(Path::toString), Stream.of(files.names()))
        .filter(name -> !name.isEmpty())
        .toList();
  }
}
