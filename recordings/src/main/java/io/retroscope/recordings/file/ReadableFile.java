// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.MergedReadings;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.Incompleteness;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file without stamps that can be read again. Used by one thread. */
final class ReadableFile implements MergedReadings.Opening {
  private final String name;
  private final Path path;
  private final Opener opener;
  private final boolean hasState;
  private final long firstMicros;
  private long closedBytes;
  private @Nullable EventInput open;

  /** Opens the readings of a file's bytes. */
  interface Opener {
    ReadingSource open(InputStream bytes);
  }

  /**
   * A file.
   *
   * @param name for messages
   * @param path of the file that is read, which differs if the standard input was copied
   * @param hasState whether its readings have messages or variables
   * @throws IOException if it cannot be read
   */
  ReadableFile(String name, Path path, boolean hasState, Opener opener) throws IOException {
    this.name = name;
    this.path = path;
    this.hasState = hasState;
    this.opener = opener;
    try (ReadingSource readings = open()) {
      ClockReading first = readings.next();
      firstMicros = first == null ? 0 : first.micros();
    }
    closedBytes = 0;
  }

  String name() {
    return name;
  }

  boolean hasState() {
    return hasState;
  }

  @Override
  public long firstMicros() {
    return firstMicros;
  }

  long readBytes() {
    EventInput in = open;
    return closedBytes + (in == null ? 0 : in.readBytes());
  }

  @Override
  public ReadingSource open() throws IOException {
    EventInput in = EventInput.open(path, InputStream.nullInputStream());
    open = in;
    return new Readings(opener.open(in.bytes()), in);
  }

  /** The readings of the file, and what its compression says. */
  private final class Readings implements ReadingSource {
    private final ReadingSource source;
    private final EventInput in;

    Readings(ReadingSource source, EventInput in) {
      this.source = source;
      this.in = in;
    }

    @Override
    public @Nullable ClockReading next() throws IOException {
      return source.next();
    }

    @Override
    public List<Incompleteness> reasons() {
      List<Incompleteness> reasons = new ArrayList<>(source.reasons());
      in.trouble().ifPresent(trouble -> reasons.add(EventFile.cutOff(name, trouble)));
      return reasons;
    }

    @Override
    public void close() throws IOException {
      closedBytes = in.readBytes();
      open = null;
      source.close();
      in.close();
    }
  }
}
