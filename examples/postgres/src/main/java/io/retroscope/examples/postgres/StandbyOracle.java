// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.List;

/** What must hold, known from PostgreSQL's positions and the billing's notes. */
final class StandbyOracle {
  private final History history;
  private final List<Reading> readings;
  private final boolean synchronous;

  StandbyOracle(History history, List<Reading> readings, boolean synchronous) {
    this.history = history;
    this.readings = readings;
    this.synchronous = synchronous;
  }

  List<Check> checks(long atPrimary, long atStandby) throws StageException, IOException {
    return List.of(
        staleReadsAreTheRows(),
        staleReadsHaveAReason(),
        readAfterStored(),
        equalAtTheEnd(atPrimary, atStandby));
  }

  private Check staleReadsAreTheRows() throws StageException, IOException {
    long stale = readings.stream().filter(Reading::isStale).count();
    long rows = history.rows(PostgresCase.OLDER.rql()).size();
    return new Check(
        "%d of %d reads are older than promised by the billing's own notes; %d rows"
            .formatted(stale, readings.size(), rows),
        rows == stale && synchronous == (stale == 0) && !readings.isEmpty());
  }

  /** A standby that had replayed the commit returns it. */
  private Check staleReadsHaveAReason() {
    long wrong = readings.stream().filter(r -> r.isStale() && !r.mayBeStale()).count();
    long behind = readings.stream().filter(Reading::mayBeStale).count();
    return new Check(
        "before %d reads the standby had not replayed the commit by PostgreSQL's own positions, and each older read is one of them (%d others)"
            .formatted(behind, wrong),
        wrong == 0);
  }

  private Check readAfterStored() throws StageException, IOException {
    long early = history.rows(PostgresCase.TOO_EARLY.rql()).size();
    return new Check("no order is read before it is stored (%d are)".formatted(early), early == 0);
  }

  private Check equalAtTheEnd(long atPrimary, long atStandby) {
    long recorded =
        history.assignments("orders", "number").stream()
            .filter(order -> order.node().equals(PostgresScene.SHOP))
            .reduce((first, last) -> last)
            .map(StandbyOracle::number)
            .orElse(-1L);
    return new Check(
        "at the end primary and standby have order %d and %d, the shop recorded %d"
            .formatted(atPrimary, atStandby, recorded),
        atPrimary == atStandby && atPrimary == recorded);
  }

  private static long number(Assignment assignment) {
    return assignment.value() instanceof LongValue number ? number.value() : -1;
  }
}
