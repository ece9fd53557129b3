// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.engine.response.ResponseRows;
import io.retroscope.rql.engine.response.Responses;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.ResultColumns;
import io.retroscope.rql.evaluation.Frame;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** The rows that THEN and AFTER make of one question of a walk. Used by one thread. */
final class QuestionRows implements ResponseRows {
  private final Frame frame;
  private final CutEvaluation evaluation;
  private final ResultColumns columns;
  private final WalkOutput output;
  private final Responses responses;

  QuestionRows(
      Frame frame,
      CutEvaluation evaluation,
      ResultColumns columns,
      WalkOutput output,
      Responses responses) {
    this.frame = frame;
    this.evaluation = evaluation;
    this.columns = columns;
    this.output = output;
    this.responses = responses;
  }

  @Override
  public CutRow ofCut(long hlc) {
    return evaluation.rowOfCut(frame, hlc);
  }

  @Override
  public @Nullable CutRow afterCut(long hlc) {
    return evaluation.rowAfterCut(frame, hlc);
  }

  @Override
  public CutTime time(long hlc) {
    return evaluation.time(hlc);
  }

  @Override
  public SortedSet<String> missing() {
    return evaluation.missing();
  }

  @Override
  public boolean isLost(long fromHlc, long toHlc) {
    return responses.isLost(fromHlc, toHlc);
  }

  @Override
  public void send(Row row) {
    output.send(row);
  }

  @Override
  public void held(int rows) {
    output.held(rows);
  }

  @Override
  public long cuts() {
    return responses.cuts();
  }

  @Override
  public long cutsBefore() {
    return responses.cutsBefore();
  }

  @Override
  public void inTime(long withinMicros, long beginHlc, CutTime begin, long endHlc, CutTime end) {
    responses.shortResponses().add(withinMicros, beginHlc, begin, endHlc, end);
  }

  @Override
  public void triggered() {
    responses.triggered();
  }

  @Override
  public void undecided(long triggers) {
    responses.undecided(triggers);
  }

  @Override
  public ResultColumns columns(List<Value> ofResponse) {
    ResultColumns own = columns.copy();
    own.setOfResponse(ofResponse);
    return own;
  }
}
