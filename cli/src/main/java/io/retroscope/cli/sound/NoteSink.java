package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.sonify.score.ScoreComposer;
import io.retroscope.sonify.score.UnknownInstrumentException;
import java.util.List;

/**
 * A sink that collects the notes of rows, and passes everything except the rows to another sink.
 */
final class NoteSink implements RowSink {
  private final ScoreComposer composer;
  private final RowSink rest;

  NoteSink(ScoreComposer composer, RowSink rest) {
    this.composer = composer;
    this.rest = rest;
  }

  @Override
  public void columns(List<Column> columns) {}

  @Override
  public boolean row(Row row) {
    try {
      row.note().ifPresent(note -> composer.add(row.hlc(), note));
    } catch (UnknownInstrumentException e) {
      throw new CommandException(ExitCode.STATEMENT_FAILED, String.valueOf(e.getMessage()), e);
    }
    return true;
  }

  @Override
  public void warning(String message) {
    rest.warning(message);
  }

  @Override
  public void progress(long cuts, long hlc) {
    rest.progress(cuts, hlc);
  }

  @Override
  public boolean cancelled() {
    return rest.cancelled();
  }
}
