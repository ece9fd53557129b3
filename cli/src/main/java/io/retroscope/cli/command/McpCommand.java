// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.mcp.McpServer;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.client.Session;
import io.retroscope.server.live.MonotonicClock;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that gives programs reading access over the Model Context Protocol. */
@Command(
    name = "mcp",
    description =
        "Answer an agent on standard input and output over the Model Context Protocol: it can read"
            + " a log server or files, and change nothing.",
    footer = {
      "",
      "A client of the protocol starts this command by itself; see docs/mcp.md.",
      "",
      "Examples:",
      "  retroscope mcp --server http://127.0.0.1:7340",
      "  retroscope mcp events.ndjson",
      "",
      "Exit codes: 0 the input has ended, 2 wrong usage or a file problem."
    })
public final class McpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private QueryTarget target = new QueryTarget();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --file FILE.")
  private List<Path> given = List.of();

  @Override
  public Integer call() throws IOException {
    try (Session session = target.openToCheck(given, spec.commandLine().getErr())) {
      new McpServer(session, spec.commandLine().getOut(), MonotonicClock.system()::nanos)
          .serve(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }
    return ExitCode.OK.number();
  }
}
