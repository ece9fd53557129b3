// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.process.ExitCode;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.ParsedStatement;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryTargetTest {
  private static final Session FILE =
      new LocalSession(
          "a.ndjson",
          new InMemoryEventSource(List.of(), ClockOffsets.UNKNOWN),
          QueryLimits.DEFAULT);

  @Test
  void refused_ofAFile_isWrongUsage() {
    assertThat(exitCode(FILE, new ProblemException("is damaged", false))).isEqualTo(ExitCode.USAGE);
    assertThat(exitCode(FILE, new EventFileException("is damaged"))).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void refused_ofAServer_isALostConnectionUnlessItsEventsAreTooMany() {
    Session server = new Server();
    assertThat(exitCode(server, new ProblemException("is busy", false)))
        .isEqualTo(ExitCode.CONNECTION_LOST);
    assertThat(exitCode(server, new EventFileException("has more than 20,000,000 events")))
        .isEqualTo(ExitCode.FAILED);
  }

  private static ExitCode exitCode(Session session, ProblemException e) {
    return QueryTarget.refused(session, e).exitCode();
  }

  /** The name of a server, of which nothing is requested. */
  private static final class Server implements Session {
    @Override
    public String target() {
      return "http://localhost:1";
    }

    @Override
    public void run(ParsedStatement statement, RowSink sink) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Catalog catalog() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
