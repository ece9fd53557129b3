package io.retroscope.sonify.score;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Note;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** A composer of a {@link Score} from the notes of one or more results. Not thread-safe. */
public final class ScoreComposer {
  /*
   * Played time is derived from recorded time in three steps, each of which preserves the order of
   * the notes: divide by the speed; shorten the silences, where a silence is the time from the end
   * of all notes so far to the next start; compress a score that is still too long. Notes always
   * keep their own length, because a hit that is shortened to a hundredth of its length is only a
   * click.
   *
   * Indistinguishable notes are then removed, in played time. A walk over a million cuts, or over a
   * night, therefore results in a score that is bounded in length, notes and voices.
   */

  /** The maximum number of collected notes; later ones are dropped and counted. */
  public static final int MAX_GATHERED_NOTES = 1_000_000;

  /** The maximum number of simultaneous notes; a synthesizer has about 64 voices. */
  public static final int MAX_POLYPHONY = 48;

  /** The maximum number of notes that start within one second. */
  public static final int MAX_NOTES_PER_SECOND = 100;

  /** The maximum length of a note; a longer one is shortened. */
  public static final long MAX_NOTE_MICROS = 10_000_000;

  /**
   * The distance below which equal notes are merged, because they cannot be distinguished by ear.
   */
  public static final long MERGE_MICROS = 20_000;

  private final ScoreOptions options;
  private final List<Gathered> gathered = new ArrayList<>();
  private final Map<String, Instrument> instruments = new HashMap<>();
  private long overflowCount;

  /** A composer without notes. */
  public ScoreComposer(ScoreOptions options) {
    this.options = options;
  }

  /**
   * Adds a note, in any order of time.
   *
   * @param hlc packed, the time of the note
   * @throws UnknownInstrumentException if General MIDI does not have its instrument
   */
  public void add(long hlc, Note note) {
    Instrument instrument = instruments.computeIfAbsent(note.instrument(), Instrument::named);
    if (gathered.size() == MAX_GATHERED_NOTES) {
      overflowCount++;
      return;
    }
    gathered.add(new Gathered(hlc, instrument, note));
  }

  /** The score of the notes added so far. */
  public Score compose() {
    List<Gathered> ordered = new ArrayList<>(gathered);
    ordered.sort(Comparator.comparingLong(Gathered::hlc));
    double[] starts = new double[ordered.size()];
    long cutMicros = playedStarts(ordered, starts);
    double squeeze = squeeze(starts);
    Thinning thinning = new Thinning();
    for (int i = 0; i < starts.length; i++) {
      thinning.add(ordered.get(i).playedAt((long) (starts[i] * squeeze)));
    }
    return new Score(
        thinning.notes,
        options.speed() / squeeze,
        cutMicros,
        thinning.mergedCount,
        thinning.droppedCount + overflowCount);
  }

  /**
   * Computes the starts in microseconds after applying the speed and shortening silences; returns
   * the recorded microseconds removed. The starts keep their fractions, because they are rounded
   * once, after a score that is too long was compressed.
   */
  private long playedStarts(List<Gathered> ordered, double[] starts) {
    double cutMicros = 0;
    double soundingEnd = 0;
    double start = 0;
    for (int i = 0; i < starts.length; i++) {
      if (i > 0) {
        long gapMicros = ordered.get(i).micros() - ordered.get(i - 1).micros();
        double next = start + gapMicros / options.speed();
        double latest = soundingEnd + options.maxSilenceMicros();
        cutMicros += Math.max(0, next - latest) * options.speed();
        start = Math.min(next, latest);
      }
      starts[i] = start;
      soundingEnd = Math.max(soundingEnd, start + ordered.get(i).lengthMicros());
    }
    return (long) cutMicros;
  }

  private double squeeze(double[] starts) {
    double last = starts.length == 0 ? 0 : starts[starts.length - 1];
    return last > options.maxLengthMicros() ? options.maxLengthMicros() / last : 1;
  }

  private record Gathered(long hlc, Instrument instrument, Note note) {
    long micros() {
      return HlcTimestamp.micros(hlc);
    }

    long lengthMicros() {
      return Math.min(note.lengthMicros(), MAX_NOTE_MICROS);
    }

    ScoreNote playedAt(long startMicros) {
      return new ScoreNote(startMicros, lengthMicros(), instrument, note.note(), note.velocity());
    }
  }

  /**
   * A filter that accepts notes in order of their start and omits those beyond the audible limits.
   */
  private static final class Thinning {
    final List<ScoreNote> notes = new ArrayList<>();
    long mergedCount;
    long droppedCount;

    private final Map<Voice, Integer> lastOfVoice = new HashMap<>();
    private final PriorityQueue<Long> soundingEnds = new PriorityQueue<>();
    private final ArrayDeque<Long> lastSecond = new ArrayDeque<>();

    private record Voice(Instrument instrument, int key) {}

    void add(ScoreNote note) {
      Voice voice = new Voice(note.instrument(), note.key());
      Integer last = lastOfVoice.get(voice);
      if (last != null && note.startMicros() - notes.get(last).startMicros() < MERGE_MICROS) {
        mergedCount++;
        notes.set(last, louder(notes.get(last), note));
        return;
      }
      if (tooMany(note.startMicros())) {
        droppedCount++;
        return;
      }
      if (last != null && notes.get(last).endMicros() > note.startMicros()) {
        notes.set(last, notes.get(last).endingAt(note.startMicros()));
      }
      lastOfVoice.put(voice, notes.size());
      notes.add(note);
      soundingEnds.add(note.endMicros());
      lastSecond.add(note.startMicros());
    }

    private boolean tooMany(long now) {
      while (!soundingEnds.isEmpty() && soundingEnds.peek() <= now) {
        soundingEnds.remove();
      }
      while (!lastSecond.isEmpty() && lastSecond.peek() <= now - 1_000_000) {
        lastSecond.remove();
      }
      return soundingEnds.size() >= MAX_POLYPHONY || lastSecond.size() >= MAX_NOTES_PER_SECOND;
    }

    private static ScoreNote louder(ScoreNote first, ScoreNote second) {
      return new ScoreNote(
          first.startMicros(),
          Math.max(first.endMicros(), second.endMicros()) - first.startMicros(),
          first.instrument(),
          first.key(),
          Math.max(first.velocity(), second.velocity()));
    }
  }
}
