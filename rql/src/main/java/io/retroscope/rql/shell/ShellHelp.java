package io.retroscope.rql.shell;

/** What {@code \?} prints. */
final class ShellHelp {
  static final String TEXT =
      """
      A statement ends with a semicolon and may take several lines:
        SELECT r1, SPREAD(r1) FROM setd WHEN SPREAD(r1) >= 2;    cuts where replicas differ
        SELECT STREAM r1 FROM setd;                              the same, as it happens
        SHOW LOGS;  SHOW NODES;  SHOW VARIABLES FROM setd;       what there is to ask about

      Commands, where no statement has begun:
        \\d              list the logs
        \\d LOG          describe a log
        \\x [WHEN]       print each value on its own line: on, off, auto (where a table is too wide)
        \\format NAME    print results as %s
        \\timing [on]    print how long each statement took, or stop doing so
        \\o [FILE]       send results to a file; without one, back here
        \\i FILE         run the statements in a file
        \\play FILE      write what the last statement, with PLAY, sounds like: .wav or .mid
        \\watch [S [N]]  repeat the last statement every S seconds (2), N times
        \\?              this help (also: help)
        \\q              leave (also: exit, quit, Ctrl-D)

      Keys: Tab completes, Ctrl-R searches the history, Ctrl-C gives up the line or the query.
      """
          .formatted(OutputFormat.words());

  private ShellHelp() {}
}
