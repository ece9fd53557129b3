package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.Note;
import io.retroscope.sonify.play.LiveMidi;
import io.retroscope.sonify.score.UnknownInstrumentException;
import java.io.PrintWriter;
import java.util.Optional;

/** The sound of live queries, or silence. Thread-safe. */
public final class LiveSound implements AutoCloseable {
  private final Optional<LiveMidi> midi;
  private final PrintWriter err;

  private LiveSound(Optional<LiveMidi> midi, PrintWriter err) {
    this.midi = midi;
    this.err = err;
  }

  /** Opens the machine's synthesizer; without one, says so and stays silent. */
  public static LiveSound open(PrintWriter err) {
    return new LiveSound(LiveMidi.open(err::println), err);
  }

  /** Creates a sound that plays nothing. */
  public static LiveSound mute(PrintWriter err) {
    return new LiveSound(Optional.empty(), err);
  }

  /**
   * Plays a note now.
   *
   * @throws CommandException if its instrument is unknown
   */
  public void play(Note note) {
    try {
      midi.ifPresent(live -> live.play(note));
    } catch (UnknownInstrumentException e) {
      throw new CommandException(ExitCode.STATEMENT_FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  /** Ends the sound, and reports how many notes were left out. */
  @Override
  public void close() {
    midi.ifPresent(LiveMidi::close);
    long dropped = midi.map(LiveMidi::droppedCount).orElse(0L);
    if (dropped > 0) {
      err.println(dropped + " notes came too fast to sound");
    }
  }
}
