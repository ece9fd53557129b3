package io.retroscope.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/** What a command did, for tests. */
record CommandRun(int exitCode, String out, String err) {
  static CommandRun of(String... args) {
    return with(Map.of(), args);
  }

  static CommandRun with(Map<String, String> environment, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = Retroscope.run(new PrintWriter(out), new PrintWriter(err), environment, args);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }
}
