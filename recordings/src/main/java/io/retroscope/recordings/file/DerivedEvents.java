// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.recordings.document.Documents;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ClockReplay;
import io.retroscope.recordings.replay.MergedReadings;
import io.retroscope.recordings.replay.MessageSurvey;
import io.retroscope.recordings.replay.Messages;
import io.retroscope.recordings.replay.TooManyMessagesException;
import io.retroscope.recordings.textlog.FormatException;
import io.retroscope.recordings.textlog.Vocabulary;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The events of files without stamps, with stamps that are derived: of all such files together,
 * because messages connect them. Used by one thread.
 */
final class DerivedEvents {
  /** The most files, all of which may be open at the same time. */
  static final int MAX_FILES = 2_000;

  /** The number of readings between two steps of progress, less one. */
  private static final int STEP = 0xFFF;

  private final List<ReadableFile> files;
  private final Documents documents;
  private final Vocabulary vocabulary;
  private final Runnable step;

  /**
   * Files that are read as often as needed.
   *
   * @param documents all of which are read already
   * @param vocabulary what the files learn in a first pass
   * @param step called now and then
   */
  DerivedEvents(
      List<ReadableFile> files, Documents documents, Vocabulary vocabulary, Runnable step) {
    if (files.size() > MAX_FILES) {
      throw new EventFileException(
          "%d files without stamps are too many at once: give at most %d"
              .formatted(files.size(), MAX_FILES));
    }
    this.files = files;
    this.documents = documents;
    this.vocabulary = vocabulary;
    this.step = step;
  }

  /**
   * Passes on all events.
   *
   * @throws IOException if a file cannot be read, or if the consumer throws it
   */
  void give(EventConsumer consumer) throws IOException {
    try {
      Messages messages = survey();
      ClockReplay replay = new ClockReplay(messages, consumer);
      for (Incompleteness reason : forEach(replay::add)) {
        consumer.incomplete(reason);
      }
      replay.finish();
    } catch (TooManyMessagesException | FormatException e) {
      throw new EventFileException(String.valueOf(e.getMessage()), e);
    } catch (IllegalStateException e) {
      throw new EventFileException(
          "%s: was changed while it was read: %s".formatted(names(), e.getMessage()), e);
    }
  }

  private String names() {
    return String.join(", ", files.stream().map(ReadableFile::name).toList());
  }

  /** Reads all files once, if they have messages or variables; nothing else needs it. */
  private Messages survey() throws IOException {
    if (documents.isEmpty() && files.stream().noneMatch(ReadableFile::hasState)) {
      return Messages.NONE;
    }
    MessageSurvey survey = new MessageSurvey();
    forEach(survey::add);
    vocabulary.learned(survey.nodes());
    return survey.solve();
  }

  /** A receiver of readings. */
  private interface Receiver {
    void add(ClockReading reading) throws IOException;
  }

  /** Passes on all readings; returns what every answer about them must say. */
  private List<Incompleteness> forEach(Receiver receiver) throws IOException {
    List<MergedReadings.Opening> openings = new ArrayList<>(files);
    if (!documents.isEmpty()) {
      openings.add(documents);
    }
    try (MergedReadings all = new MergedReadings(openings)) {
      long count = 0;
      for (ClockReading next = all.next(); next != null; next = all.next()) {
        receiver.add(next);
        if ((++count & STEP) == 0) {
          step.run();
        }
      }
      return all.reasons();
    }
  }
}
