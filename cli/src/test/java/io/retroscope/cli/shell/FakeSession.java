// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.ParsedStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A session that returns the number and the text of any statement. It fails if the text contains
 * {@code wrong}, {@code busy}, {@code refused} (before its row) or {@code lost} (after it), warns
 * for {@code warn}, has a late row and takes the first one back for {@code amended}, takes two
 * seconds for {@code slow}, lasts for {@code watched} until there is the file {@link #SEEN}, and
 * never ends for {@code endless}.
 */
final class FakeSession implements Session {
  static final Path SEEN = Path.of(System.getProperty("java.io.tmpdir"), "seen");

  final List<String> statements = new ArrayList<>();
  boolean closed;

  /** The action while a statement runs that contains {@code cancel}. */
  Runnable whenRun = () -> {};

  @Override
  public String target() {
    return "fake";
  }

  @Override
  public void run(ParsedStatement reading, RowSink sink) throws IOException {
    String statement = reading.text();
    statements.add(statement);
    if (statement.contains("wrong")) {
      int at = statement.indexOf("wrong");
      throw new RqlException(
          statement,
          List.of(
              new Diagnostic(
                  "RQL0203",
                  "unknown variable \"wrong\"",
                  new SourceRange(at, at + 5),
                  Optional.of("did you mean \"right\"?"))));
    }
    if (statement.contains("cancel")) {
      whenRun.run();
    }
    if (statement.contains("busy")) {
      throw new ProblemException("too many queries run");
    }
    sink.columns(List.of(new Column("n", false), new Column("text", false)));
    if (statement.contains("refused")) {
      throw new ProblemException("the first cut has no answer");
    }
    if (statement.contains("warn")) {
      sink.warning("events of zk1 are missing");
    }
    sink.row(
        new Row(
            HlcTimestamp.pack(1),
            0,
            List.of(Value.of(statements.size()), Value.of(statement)),
            Optional.empty()));
    if (statement.contains("amended")) {
      sink.late(
          new Row(
              HlcTimestamp.pack(2), 0, List.of(Value.of(9), Value.of("second")), Optional.empty()));
      sink.retracted(7, HlcTimestamp.pack(1));
    }
    if (statement.contains("lost")) {
      throw new IOException("no connection to fake: is the server running?");
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
    for (long cuts = 1; statement.contains("slow") && System.nanoTime() < end; cuts++) {
      sink.progress(cuts, HlcTimestamp.pack(cuts));
    }
    for (long cuts = 1; statement.contains("watched") && !Files.exists(SEEN); cuts++) {
      sink.progress(cuts, HlcTimestamp.pack(cuts % 1_000_000));
    }
    for (long cuts = 1; statement.contains("endless") && !sink.cancelled(); cuts++) {
      sink.progress(cuts, HlcTimestamp.pack(cuts));
    }
  }

  @Override
  public Catalog catalog() {
    return new Catalog(
        List.of(
            new LogDescription("setd", List.of("r1", "r2", "`odd name"), 1),
            new LogDescription("app", List.of("level", "message"), 1),
            new LogDescription("my-log", List.of("level"), 1)),
        List.of(
            new NodeDescription("zk1", 1, HlcTimestamp.pack(0), HlcTimestamp.pack(500_000)),
            new NodeDescription(
                "zk-2", 1, HlcTimestamp.pack(500_000), HlcTimestamp.pack(1_000_000))));
  }

  @Override
  public void close() {
    closed = true;
  }
}
