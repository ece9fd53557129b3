// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.option.FileReading;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.server.align.AlignmentSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;

/** A reader of the traits of recorded runs. Immutable. */
public final class TraitReader {
  private final InputSettings input;

  /** Creates a reader of files. */
  public TraitReader(InputSettings input) {
    this.input = input;
  }

  /**
   * Reads runs, in their order.
   *
   * @throws CommandException if one cannot be read
   * @throws InterruptedException if the thread is interrupted
   */
  TraitTable read(List<RecordedRun> runs, TraitScope scope, RunPool pool)
      throws InterruptedException {
    TraitTable table = new TraitTable(new TraitVocabulary());
    pool.forEach(runs, run -> traits(run, scope, table.vocabulary()), table::add);
    return table;
  }

  /** Reads the traits of one run. */
  RunTraits traits(RecordedRun run, TraitScope scope, TraitVocabulary vocabulary) {
    TraitCollector collector = new TraitCollector(vocabulary, scope);
    try {
      FileReading.of(
              run.files(), AlignmentSettings.DEFAULT, input, new PrintWriter(Writer.nullWriter()))
          .readAll(collector);
      return collector.finish();
    } catch (EventFileException e) {
      throw new CommandException(ExitCode.USAGE, "run %s: %s".formatted(run.name(), e.reason()), e);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot read %s: %s".formatted(run.path(), FileProblem.reason(e)), e);
    }
  }
}
